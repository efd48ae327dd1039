import { createRootRoute, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { projectsQuery, queryClient } from "@/api/queries";
import { getSession, sessionEnd } from "@/api/session";
import { Toasts } from "@/components/Toast";
import { TooltipProvider } from "@/components/Tooltip";
import { ConnectionBanner } from "./ConnectionBanner";
import { lastProject } from "./lastProject";
import { NoProjects } from "./NoProjects";
import { ProjectShell } from "./ProjectShell";

export const rootRoute = createRootRoute({
  component: () => (
    <TooltipProvider delayDuration={350}>
      <Outlet />
      <ConnectionBanner />
      <Toasts />
    </TooltipProvider>
  ),
});

/** Sends those who are not signed in to the sign-in page, and back to where they were afterwards. */
function requireSession({ location }: { location: { href: string } }): void {
  if (getSession()) return;
  const from = sessionEnd() === "signed out" || location.href === "/" ? undefined : location.href;
  throw redirect({ to: "/sign-in", search: { from } });
}

export const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: requireSession,
  loader: async () => {
    const own = getSession()?.project_id;
    if (own) throw redirect({ to: "/p/$project/overview", params: { project: own } });
    const names = (await queryClient.fetchQuery(projectsQuery)).map((one) => one.project_id);
    const last = lastProject();
    const project = last && names.includes(last) ? last : names[0];
    if (project) throw redirect({ to: "/p/$project/overview", params: { project } });
  },
  component: NoProjects,
});

export const projectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/p/$project",
  beforeLoad: requireSession,
  component: ProjectShell,
});

export const projectIndexRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/p/$project/overview", params });
  },
});
