import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { ChevronsUpDown } from "lucide-react";
import { projectsQuery } from "@/api/queries";
import { useSession } from "@/api/session";
import { openOverlay } from "./overlays";

const NEW = "\u0000new";

/** Which project is shown. A session of the master key may make new ones. */
export function ProjectSwitcher() {
  const { project } = useParams({ from: "/p/$project" });
  const navigate = useNavigate();
  const { data } = useQuery(projectsQuery);
  const mayMake = useSession()?.is_master ?? false;
  const names = new Set([project, ...(data ?? []).map((one) => one.project_id)]);
  const switchTo = (name: string) => {
    if (name === NEW) openOverlay("project");
    else void navigate({ to: "/p/$project/overview", params: { project: name } });
  };
  return (
    <div className="relative">
      <span
        aria-hidden
        className="pointer-events-none absolute top-2 left-2 flex size-6 items-center justify-center rounded-md bg-accent text-xs font-semibold text-accent-ink uppercase"
      >
        {project.slice(0, 1)}
      </span>
      <select
        aria-label="Project"
        value={project}
        onChange={(event) => switchTo(event.target.value)}
        className="h-10 w-full appearance-none truncate rounded-lg border border-transparent bg-transparent pr-8 pl-10 font-semibold text-ink hover:border-line hover:bg-hover"
      >
        {[...names].sort().map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
        {mayMake && <option value={NEW}>New project…</option>}
      </select>
      <ChevronsUpDown className="pointer-events-none absolute top-3 right-2.5 size-4 text-faint" aria-hidden />
    </div>
  );
}
