import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { errorWords, isStatus } from "@/api/errors";
import { memoryQuery } from "@/api/queries";
import { Badge } from "@/components/Badge";
import { Pinned } from "@/components/Pinned";
import { Skeleton } from "@/components/states";
import { UtilityBar } from "@/components/UtilityBar";
import { plural } from "@/lib/format";
import { oneLine } from "@/lib/visible";

/** A memory that a statement stands on, with its record. */
export function StandingMemory({ project, id }: { project: string; id: string }) {
  const { data: memory, error } = useQuery(memoryQuery(project, id));
  return (
    <li className="flex min-h-11 items-center border-t border-line first:border-0">
      {memory ? (
        <Link
          to="/p/$project/memories/$memory"
          params={{ project, memory: id }}
          className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1 px-3.5 py-2 hover:bg-hover focus-visible:outline-offset-[-2px]"
        >
          <span className="min-w-0 flex-1 basis-52 truncate">{oneLine(memory.task)}</span>
          {memory.status === "disabled" && <Badge tone="warn">disabled</Badge>}
          <Pinned pinned={memory.pinned} />
          <span className="text-sm text-muted">{plural(memory.uses, "use")}</span>
          <UtilityBar value={memory.q_value} uses={memory.uses} />
        </Link>
      ) : (
        <span className="flex-1 px-3.5 text-sm text-muted">
          {error ? (
            isStatus(error, 404) ? (
              "This memory was deleted since."
            ) : (
              errorWords(error)
            )
          ) : (
            <Skeleton className="h-4 w-2/3" />
          )}
        </span>
      )}
    </li>
  );
}
