import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/shell/lazyPage";
import { rootRoute } from "@/shell/routes";

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): { from?: string } => ({
    // Only a path of the console itself: never another site.
    from: typeof search.from === "string" && /^\/(?![/\\])/.test(search.from) ? search.from : undefined,
  }),
  component: lazyPage(() => import("./SignInPage"), "SignInPage"),
});
