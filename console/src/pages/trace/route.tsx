import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "@/shell/routes";

export const traceRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "traces/$trace",
  component: lazyRouteComponent(() => import("./TracePage"), "TracePage"),
});
