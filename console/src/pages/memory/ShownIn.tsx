import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "@/api/session";
import { Card } from "@/components/Card";
import { ErrorState, SkeletonRows } from "@/components/states";
import { Time } from "@/components/Time";
import { oneLine } from "@/lib/visible";
import { TraceBadge } from "@/pages/traces/TraceBadge";
import { shownInQuery } from "./queries";

/** The newest runs that had the memory in their prompt, reviewed or not. */
export function ShownIn({ project, memory }: { project: string; memory: string }) {
  const mayRead = useMay("trace:read");
  const runs = useQuery({ ...shownInQuery(project, memory), enabled: mayRead });
  if (!mayRead) return null;
  return (
    <Card
      flush
      title="Runs it was shown in"
      actions={
        <Link
          to="/p/$project/traces"
          params={{ project }}
          search={{ memory }}
          className="text-sm font-medium text-accent hover:underline"
        >
          All of them
        </Link>
      }
    >
      {runs.isPending ? (
        <SkeletonRows rows={4} />
      ) : runs.isError ? (
        <ErrorState error={runs.error} retry={() => void runs.refetch()} />
      ) : runs.data.rows.length === 0 ? (
        <p className="px-5 pb-5 text-muted">No run has been shown it yet.</p>
      ) : (
        <ul>
          {runs.data.rows.map((trace) => (
            <li
              key={trace.id}
              className="flex min-h-11 items-center gap-3 border-t border-line px-4 first:border-t-0 sm:px-5"
            >
              <Link
                to="/p/$project/traces/$trace"
                params={{ project, trace: trace.id }}
                className="min-w-0 flex-1 truncate hover:underline"
              >
                {oneLine(trace.task)}
              </Link>
              <TraceBadge trace={trace} />
              <Time
                at={trace.created_at}
                className="w-20 shrink-0 text-right text-sm text-muted max-sm:hidden lg:hidden"
              />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
