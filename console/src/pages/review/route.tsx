import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "@/shell/routes";

export const reviewRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "review",
  component: lazyRouteComponent(() => import("./ReviewPage"), "ReviewPage"),
});
