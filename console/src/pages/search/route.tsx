import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "@/shell/routes";

export const searchRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "search",
  component: lazyRouteComponent(() => import("./SearchPage"), "SearchPage"),
});
