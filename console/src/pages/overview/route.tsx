import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "@/shell/routes";

export const overviewRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "overview",
  component: lazyRouteComponent(() => import("./OverviewPage"), "OverviewPage"),
});
