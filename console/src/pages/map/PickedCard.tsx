import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { memoryQuery } from "@/api/queries";
import { IconButton } from "@/components/IconButton";
import { Skeleton } from "@/components/states";
import { UtilityBar } from "@/components/UtilityBar";
import { Verbatim } from "@/components/Verbatim";
import { plural } from "@/lib/format";
import { oneLine } from "@/lib/visible";
import type { Point } from "./view";

/** The memory that was picked on the map. */
export function PickedCard({ project, point, onClose }: { project: string; point: Point; onClose: () => void }) {
  const memory = useQuery(memoryQuery(project, point.id));
  return (
    <section
      aria-label="Picked memory"
      className="absolute bottom-3 left-3 z-10 flex max-h-64 w-[min(24rem,calc(100%-1.5rem))] animate-rise flex-col gap-2 rounded-xl border border-line bg-surface p-4 shadow-float"
    >
      <div className="flex items-start gap-2">
        <Link
          to="/p/$project/memories/$memory"
          params={{ project, memory: point.id }}
          className="line-clamp-2 min-w-0 flex-1 font-medium hover:underline"
        >
          {oneLine(point.task)}
        </Link>
        <IconButton label="Close" icon={<X />} onClick={onClose} className="-mt-1 -mr-1" />
      </div>
      <p className="flex items-center gap-3 text-sm text-muted">
        <UtilityBar value={point.q_value} uses={point.uses} />
        {plural(point.uses, "use")}
      </p>
      {memory.data ? (
        <p className="scroll-quiet min-h-0 overflow-y-auto text-verbatim text-sm text-muted">
          <Verbatim text={memory.data.guidance || memory.data.summary} />
        </p>
      ) : (
        memory.isPending && <Skeleton className="h-10 w-full" />
      )}
    </section>
  );
}
