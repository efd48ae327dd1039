import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/shell/lazyPage";
import { projectRoute } from "@/shell/routes";

export const mapRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "map",
  component: lazyPage(() => import("./MapPage"), "MapPage"),
});
