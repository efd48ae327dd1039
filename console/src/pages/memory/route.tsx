import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/shell/lazyPage";
import { projectRoute } from "@/shell/routes";

export const memoryRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "memories/$memory",
  component: lazyPage(() => import("./MemoryPage"), "MemoryPage"),
});
