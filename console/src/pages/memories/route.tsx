import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/shell/lazyPage";
import { projectRoute } from "@/shell/routes";
import { readMemoryFilters } from "./filters";

export const memoriesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "memories",
  validateSearch: readMemoryFilters,
  component: lazyPage(() => import("./MemoriesPage"), "MemoriesPage"),
});
