import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/shell/lazyPage";
import { projectRoute } from "@/shell/routes";

export const searchRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "search",
  component: lazyPage(() => import("./SearchPage"), "SearchPage"),
});
