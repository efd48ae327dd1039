import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/shell/lazyPage";
import { projectRoute } from "@/shell/routes";
import { readFilters } from "./filters";

export const tracesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "traces",
  validateSearch: readFilters,
  component: lazyPage(() => import("./TracesPage"), "TracesPage"),
});
