import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { lastFilters } from "./lastFilters";

const look = "inline-flex items-center gap-1 self-start rounded text-sm text-muted hover:text-ink [&_svg]:size-3.5";

/** From a trace to the list, as it was narrowed when it was last looked at. */
export function BackToTraces() {
  const { project } = useParams({ from: "/p/$project" });
  return (
    <Link to="/p/$project/traces" params={{ project }} search={lastFilters(project, "traces")} className={look}>
      <ArrowLeft aria-hidden />
      Traces
    </Link>
  );
}

/** From a memory to the list, as it was narrowed and ordered. */
export function BackToMemories() {
  const { project } = useParams({ from: "/p/$project" });
  return (
    <Link to="/p/$project/memories" params={{ project }} search={lastFilters(project, "memories")} className={look}>
      <ArrowLeft aria-hidden />
      Memories
    </Link>
  );
}
