import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { EmptyState } from "@/components/states";
import { UtilityBar } from "@/components/UtilityBar";
import { type Column, VirtualTable } from "@/components/VirtualTable";
import { formatCount } from "@/lib/format";
import { oneLine } from "@/lib/visible";
import type { Point } from "./view";

/** The map for those who do not see it or use no pointer: the same memories, most useful first. */
export function PointList({ project, points }: { project: string; points: Point[] }) {
  const navigate = useNavigate();
  const sorted = useMemo(() => [...points].sort((a, b) => b.q_value - a.q_value || b.uses - a.uses), [points]);
  const columns: Column<Point>[] = [
    {
      id: "task",
      header: "Learned from",
      width: "minmax(0, 1fr)",
      cell: (point) => (
        <Link
          to="/p/$project/memories/$memory"
          params={{ project, memory: point.id }}
          className="text-ink hover:underline"
          onClick={(event) => event.stopPropagation()}
        >
          {oneLine(point.task)}
        </Link>
      ),
    },
    {
      id: "utility",
      header: "Utility",
      width: "9rem",
      cell: (point) => <UtilityBar value={point.q_value} uses={point.uses} />,
    },
    {
      id: "uses",
      header: "Uses",
      width: "5rem",
      align: "right",
      from: "sm",
      cell: (point) => <span className="text-muted">{formatCount(point.uses)}</span>,
    },
  ];
  return (
    <VirtualTable
      label="Memories of the map"
      rows={sorted}
      columns={columns}
      rowKey={(point) => point.id}
      onOpen={(point) => void navigate({ to: "/p/$project/memories/$memory", params: { project, memory: point.id } })}
      empty={<EmptyState title="No memory to show" />}
    />
  );
}
