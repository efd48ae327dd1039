import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/shell/lazyPage";
import { projectRoute } from "@/shell/routes";

export const memoriesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "memories",
  component: lazyPage(() => import("./MemoriesPage"), "MemoriesPage"),
});
