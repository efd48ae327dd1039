import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "@/shell/routes";
import { readFilters } from "./filters";

export const tracesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "traces",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./TracesPage"), "TracesPage"),
});
