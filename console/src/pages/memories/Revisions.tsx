import { useQuery } from "@tanstack/react-query";
import { errorWords, isStatus } from "@/api/errors";
import { Skeleton } from "@/components/states";
import { Time } from "@/components/Time";
import { WrittenBy } from "@/components/WrittenBy";
import { LessonText } from "./LessonText";
import { revisionsQuery } from "./queries";

/** Earlier texts of a lesson, each folded. */
export function Revisions({ project, memory, current }: { project: string; memory: string; current: number }) {
  const revisions = useQuery({ ...revisionsQuery(project, memory), enabled: current > 1 });
  if (current <= 1) return <p className="text-sm text-faint">This is its first revision.</p>;
  if (revisions.isPending) return <Skeleton className="h-8 w-full" />;
  if (revisions.isError)
    return (
      <p className="text-sm text-muted">
        {isStatus(revisions.error, 404) ? "This server keeps no earlier revisions." : errorWords(revisions.error)}
      </p>
    );
  const earlier = revisions.data.filter(({ revision }) => revision !== current);
  return (
    <ul className="flex flex-col divide-y divide-line">
      {earlier.map((one) => (
        <li key={one.revision}>
          <details className="py-2">
            <summary className="cursor-pointer text-sm text-muted">
              Revision {one.revision}, <Time at={one.created_at} />, written by <WrittenBy author={one.written_by} />
            </summary>
            <div className="mt-2 border-l-2 border-line pl-3">
              <LessonText lesson={one} />
            </div>
          </details>
        </li>
      ))}
      {earlier.length === 0 && <li className="text-sm text-faint">No earlier text is kept.</li>}
    </ul>
  );
}
