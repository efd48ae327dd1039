import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "@/shell/routes";

export const skillRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "skill",
  component: lazyRouteComponent(() => import("./SkillPage"), "SkillPage"),
});
