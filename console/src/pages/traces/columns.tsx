import { Link } from "@tanstack/react-router";
import type { Trace } from "@/api/types";
import { Time } from "@/components/Time";
import type { Column } from "@/components/VirtualTable";
import { oneLine, visible } from "@/lib/visible";
import { TraceBadge } from "./TraceBadge";

function metadataWords(metadata: Trace["metadata"]): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" · ");
}

export function traceColumns(project: string): Column<Trace>[] {
  return [
    {
      id: "task",
      header: "Task",
      width: "minmax(0, 1.7fr)",
      cell: (trace) => (
        <Link
          to="/p/$project/traces/$trace"
          params={{ project, trace: trace.id }}
          className="font-medium text-ink hover:underline"
          onClick={(event) => event.stopPropagation()}
        >
          {oneLine(trace.task)}
          <span className="block truncate text-xs font-normal text-muted sm:hidden">
            <Time at={trace.created_at} />
            {trace.model && `, ${visible(trace.model)}`}
          </span>
        </Link>
      ),
    },
    {
      id: "answer",
      header: "Answer",
      width: "minmax(0, 1fr)",
      from: "xl",
      cell: (trace) => <span className="text-muted">{oneLine(trace.final_response)}</span>,
    },
    { id: "status", header: "Review", width: "8.25rem", cell: (trace) => <TraceBadge trace={trace} /> },
    {
      id: "shown",
      header: "Memories",
      width: "5.5rem",
      align: "right",
      from: "lg",
      cell: ({ retrieved_memory_ids: { length } }) => (
        <span className={length ? "text-ink" : "text-faint"}>{length || "–"}</span>
      ),
    },
    {
      id: "model",
      header: "Model",
      width: "10rem",
      from: "lg",
      cell: (trace) => <span className="text-muted">{trace.model ? visible(trace.model) : "–"}</span>,
    },
    {
      id: "metadata",
      header: "Metadata",
      width: "minmax(0, 0.7fr)",
      from: "2xl",
      cell: (trace) => <span className="text-muted">{oneLine(metadataWords(trace.metadata))}</span>,
    },
    {
      id: "created",
      header: "Stored",
      width: "7.5rem",
      align: "right",
      from: "sm",
      cell: (trace) => <Time at={trace.created_at} className="text-muted" />,
    },
  ];
}
