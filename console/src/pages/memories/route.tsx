import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "@/shell/routes";

export const memoriesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "memories",
  component: lazyRouteComponent(() => import("./MemoriesPage"), "MemoriesPage"),
});
