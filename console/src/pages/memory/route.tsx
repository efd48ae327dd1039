import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "@/shell/routes";

export const memoryRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "memories/$memory",
  component: lazyRouteComponent(() => import("./MemoryPage"), "MemoryPage"),
});
