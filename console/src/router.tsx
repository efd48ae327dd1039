import { createRouter } from "@tanstack/react-router";
import { mapRoute } from "@/pages/map/route";
import { memoriesRoute } from "@/pages/memories/route";
import { memoryRoute } from "@/pages/memory/route";
import { overviewRoute } from "@/pages/overview/route";
import { reviewRoute } from "@/pages/review/route";
import { searchRoute } from "@/pages/search/route";
import { settingsRoute } from "@/pages/settings/route";
import { signInRoute } from "@/pages/sign-in/route";
import { skillRoute } from "@/pages/skill/route";
import { traceRoute } from "@/pages/trace/route";
import { tracesRoute } from "@/pages/traces/route";
import { RouteError, RouteNotFound, RoutePending } from "@/shell/RouteStates";
import { indexRoute, projectIndexRoute, projectRoute, rootRoute } from "@/shell/routes";

const project = projectRoute.addChildren([
  projectIndexRoute,
  overviewRoute,
  tracesRoute,
  traceRoute,
  reviewRoute,
  memoriesRoute,
  memoryRoute,
  searchRoute,
  mapRoute,
  skillRoute,
  settingsRoute,
]);

export const router = createRouter({
  routeTree: rootRoute.addChildren([indexRoute, signInRoute, project]),
  defaultPreload: "intent",
  defaultErrorComponent: RouteError,
  defaultPendingComponent: RoutePending,
  defaultNotFoundComponent: RouteNotFound,
  scrollRestoration: true,
  scrollToTopSelectors: ["#main"],
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
