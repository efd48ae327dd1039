import { Link, useSearch } from "@tanstack/react-router";
import type { Memory } from "@/api/types";
import { Badge } from "@/components/Badge";
import { Pinned } from "@/components/Pinned";
import { Prose } from "@/components/Prose";
import { Time } from "@/components/Time";
import { UtilityBar } from "@/components/UtilityBar";
import type { Column } from "@/components/VirtualTable";
import { classes } from "@/lib/classes";
import { formatCount, plural } from "@/lib/format";
import { oneLine } from "@/lib/visible";

/** Whether queries answer with it: people's word first. */
function Status({ memory: { status, pinned, retirement } }: { memory: Memory }) {
  if (status !== "active") return <Badge tone="warn">{status}</Badge>;
  if (pinned) return <Pinned pinned />;
  return retirement ? <Badge tone="warn">left out</Badge> : <Badge>{status}</Badge>;
}

/** How many runs taught the same, and all of them. */
function RunsAlike({ project, memory: { id, status, runs_alike } }: { project: string; memory: Memory }) {
  const filters = useSearch({ from: "/p/$project/memories" });
  if (!runs_alike) return null;
  const runs = plural(runs_alike, "run", "runs");
  return (
    <Link
      to="/p/$project/memories"
      params={{ project }}
      search={{ ...filters, same_as: id }}
      className="shrink-0 hover:underline"
      aria-label={`${runs} that say the same`}
      onClick={(event) => event.stopPropagation()}
    >
      <Badge tone={status === "active" ? "accent" : "neutral"}>{runs}</Badge>
    </Link>
  );
}

export function memoryColumns(project: string): Column<Memory>[] {
  return [
    {
      id: "lesson",
      header: "Lesson",
      width: "minmax(0, 1.4fr)",
      cell: (memory) => (
        <span className="flex items-center gap-2">
          <Link
            to="/p/$project/memories/$memory"
            params={{ project, memory: memory.id }}
            className={classes(
              "min-w-0 hover:underline",
              memory.status === "disabled" ? "text-muted" : "font-medium text-ink",
            )}
            onClick={(event) => event.stopPropagation()}
          >
            <Prose text={oneLine(memory.guidance || memory.summary || memory.task)} boxless />
            <span className="block truncate text-xs font-normal text-muted sm:hidden">{oneLine(memory.task)}</span>
          </Link>
          <RunsAlike project={project} memory={memory} />
        </span>
      ),
    },
    {
      id: "task",
      header: "Learned from",
      width: "minmax(0, 1fr)",
      from: "xl",
      cell: (memory) => <span className="text-muted">{oneLine(memory.task)}</span>,
    },
    {
      id: "utility",
      header: "Utility",
      width: "9rem",
      sortable: true,
      cell: (memory) => <UtilityBar value={memory.q_value} uses={memory.uses} />,
    },
    {
      id: "uses",
      header: "Uses",
      width: "5rem",
      align: "right",
      sortable: true,
      from: "sm",
      cell: ({ uses }) => <span className={uses ? "text-ink" : "text-faint"}>{formatCount(uses)}</span>,
    },
    {
      id: "record",
      header: "Passed, failed",
      width: "8rem",
      align: "right",
      from: "lg",
      cell: ({ passes, fails }) => (
        <span>
          <span className={passes ? "text-pass" : "text-faint"}>{formatCount(passes)}</span>
          <span className="text-faint"> / </span>
          <span className={fails ? "text-fail" : "text-faint"}>{formatCount(fails)}</span>
        </span>
      ),
    },
    {
      id: "status",
      header: "Status",
      width: "7.75rem",
      from: "md",
      cell: (memory) => <Status memory={memory} />,
    },
    {
      id: "created",
      header: "Age",
      width: "7.5rem",
      align: "right",
      sortable: true,
      from: "md",
      cell: (memory) => <Time at={memory.created_at} className="text-muted" />,
    },
  ];
}
