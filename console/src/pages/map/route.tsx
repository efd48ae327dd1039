import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "@/shell/routes";

export const mapRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "map",
  component: lazyRouteComponent(() => import("./MapPage"), "MapPage"),
});
