import { Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { useMay, useSession } from "@/api/session";
import { useEvents } from "@/api/useEvents";
import { CommandPalette } from "./CommandPalette";
import { HelpSheet } from "./HelpSheet";
import { rememberProject } from "./lastProject";
import { NewProjectDialog } from "./NewProjectDialog";
import { openOverlay } from "./overlays";
import { PhoneBar } from "./PhoneBar";
import { Sidebar, useDestinations } from "./Sidebar";
import { useShortcuts } from "./shortcuts";

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

/** What stands around every page of a project. */
export function ProjectShell() {
  const { project } = useParams({ from: "/p/$project" });
  const session = useSession();
  useEvents(project, useMay("trace:read") && session !== null);
  useShellShortcuts(project);
  rememberProject(project);
  return (
    <div className="flex h-dvh flex-col md:flex-row">
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
        <Outlet />
      </main>
      <PhoneBar />
      <CommandPalette />
      <HelpSheet />
      <NewProjectDialog />
    </div>
  );
}
