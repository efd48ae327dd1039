import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { isStatus } from "@/api/errors";
import { memoryQuery } from "@/api/queries";
import { useMay } from "@/api/session";
import type { Trace } from "@/api/types";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { ErrorState, Skeleton } from "@/components/states";
import { UtilityBar } from "@/components/UtilityBar";
import { WrittenBy } from "@/components/WrittenBy";
import { plural } from "@/lib/format";
import { LessonText } from "@/pages/memories/LessonText";
import { Revisions } from "@/pages/memories/Revisions";

function Lesson({ project, id }: { project: string; id: string }) {
  const memory = useQuery(memoryQuery(project, id));
  if (memory.isPending) return <Skeleton className="h-32 w-full" />;
  if (isStatus(memory.error, 404)) return <p className="text-muted">The memory was deleted since.</p>;
  if (memory.isError) return <ErrorState error={memory.error} retry={() => void memory.refetch()} />;
  const lesson = memory.data;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <UtilityBar value={lesson.q_value} uses={lesson.uses} />
        <span className="text-sm text-muted">shown in {plural(lesson.uses, "reviewed run")}</span>
        {lesson.status === "disabled" && <Badge tone="warn">disabled</Badge>}
      </div>
      <LessonText lesson={lesson} />
      <p className="text-sm text-muted">
        written by <WrittenBy author={lesson.written_by} />, revision {lesson.revision}
      </p>
      <Revisions project={project} memory={id} current={lesson.revision} />
    </div>
  );
}

/** What the run has taught. */
export function LessonCard({ project, trace }: { project: string; trace: Trace }) {
  const mayRead = useMay("memory:read");
  const id = trace.created_memory_id;
  if (!id && !trace.review) return null;
  return (
    <Card
      title="Lesson"
      actions={
        id &&
        mayRead && (
          <Link
            to="/p/$project/memories/$memory"
            params={{ project, memory: id }}
            className="text-sm font-medium text-accent hover:underline"
          >
            Open the memory
          </Link>
        )
      }
    >
      {id && mayRead ? (
        <Lesson project={project} id={id} />
      ) : (
        <p className="text-muted">
          {id
            ? "Your key may not read memories."
            : trace.ingest_status === "failed"
              ? "No lesson could be written; see above."
              : "The lesson is being written."}
        </p>
      )}
    </Card>
  );
}
