import { Link, Outlet, useLocation, useNavigate, useParams } from "@tanstack/react-router";
import { Lock } from "lucide-react";
import { useEffect } from "react";
import { useMay, useSession } from "@/api/session";
import { useEvents } from "@/api/useEvents";
import { buttonClasses } from "@/components/Button";
import { EmptyState } from "@/components/states";
import { CommandPalette } from "./CommandPalette";
import { HelpSheet } from "./HelpSheet";
import { rememberProject } from "./lastProject";
import { NewProjectDialog } from "./NewProjectDialog";
import { DESTINATIONS } from "./navigation";
import { openOverlay } from "./overlays";
import { PhoneBar } from "./PhoneBar";
import { Sidebar, useDestinations } from "./Sidebar";
import { useShortcuts } from "./shortcuts";
import { useHeadingFocus } from "./useHeadingFocus";

function useShellShortcuts(project: string): void {
  const navigate = useNavigate();
  useShortcuts([
    { keys: "mod+k", label: "Command palette", group: "Console", run: () => openOverlay("palette"), inFields: true },
    { keys: "?", label: "This help", group: "Console", run: () => openOverlay("help") },
    ...useDestinations().map(({ to, label, keys }) => ({
      keys,
      label,
      group: "Go to",
      run: () => void navigate({ to, params: { project } }),
    })),
  ]);
}

/** "Traces · shop · Reflect": what tells tabs apart. */
function useTitle(project: string): string {
  const { pathname } = useLocation();
  const page = DESTINATIONS.find(({ to }) => pathname.split("/")[3] === to.split("/")[3])?.label;
  return [page, project, "Reflect"].filter(Boolean).join(" · ");
}

/** A link into a project that this session's key does not open. */
function OtherProject({ project, own }: { project: string; own: string }) {
  return (
    <EmptyState
      icon={<Lock aria-hidden />}
      title={`Your key does not open ${project}`}
      action={
        <Link to="/p/$project/overview" params={{ project: own }} className={buttonClasses("primary")}>
          Go to {own}
        </Link>
      }
    >
      You are signed in with a key of {own}. Sign in with a key of {project} to see it.
    </EmptyState>
  );
}

/** What stands around every page of a project. */
export function ProjectShell() {
  const { project } = useParams({ from: "/p/$project" });
  const session = useSession();
  const closed = session?.project_id != null && session.project_id !== project;
  useEvents(project, useMay("trace:read") && session !== null && !closed);
  useShellShortcuts(project);
  useHeadingFocus();
  useEffect(() => {
    if (!closed) rememberProject(project);
  }, [project, closed]);
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <title>{useTitle(project)}</title>
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-accent-ink focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        Skip to the page
      </a>
      <Sidebar />
      <main
        id="main"
        tabIndex={-1}
        className="scroll-quiet flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto outline-none"
      >
        {closed ? <OtherProject project={project} own={session.project_id ?? ""} /> : <Outlet />}
      </main>
      <PhoneBar />
      <CommandPalette />
      <HelpSheet />
      <NewProjectDialog />
    </div>
  );
}
