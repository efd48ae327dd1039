import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "@/shell/routes";

export const tracesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "traces",
  component: lazyRouteComponent(() => import("./TracesPage"), "TracesPage"),
});
