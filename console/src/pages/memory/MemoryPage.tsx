import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { memoryQuery } from "@/api/queries";
import { useMay } from "@/api/session";
import type { Memory } from "@/api/types";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { CopyButton } from "@/components/CopyButton";
import { Page } from "@/components/Page";
import { Pinned } from "@/components/Pinned";
import { ErrorState, Skeleton } from "@/components/states";
import { Tells } from "@/components/Tells";
import { Time } from "@/components/Time";
import { WrittenBy } from "@/components/WrittenBy";
import { oneLine, visible } from "@/lib/visible";
import { LessonText } from "@/pages/memories/LessonText";
import { Revisions } from "@/pages/memories/Revisions";
import { BackToMemories } from "@/shell/BackLink";
import { EvidenceCard } from "./EvidenceCard";
import { MemoryActions } from "./MemoryActions";
import { ShownIn } from "./ShownIn";
import { UtilityCard } from "./UtilityCard";

function Origin({ project, memory }: { project: string; memory: Memory }) {
  const mayRead = useMay("trace:read");
  return (
    <Card title="Where it comes from">
      <div className="flex flex-col gap-2.5">
        <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
          {memory.success != null && (
            <Badge tone={memory.success ? "pass" : "fail"}>
              {memory.success ? "that run passed" : "that run failed"}
            </Badge>
          )}
          {mayRead && (
            <Link
              to="/p/$project/traces/$trace"
              params={{ project, trace: memory.trace_id }}
              className="text-accent hover:underline"
            >
              The run that taught it
            </Link>
          )}
        </p>
        {memory.tools_used.length > 0 && (
          <p className="flex flex-wrap items-center gap-1.5 text-sm text-muted">
            called
            {memory.tools_used.map((tool) => (
              <Badge key={tool}>{visible(tool)}</Badge>
            ))}
          </p>
        )}
        <p className="flex items-center text-sm text-muted">
          <span className="truncate font-mono text-xs">{memory.id}</span>
          <CopyButton text={memory.id} what="Copy the id" />
        </p>
      </div>
    </Card>
  );
}

export function MemoryPage() {
  const { project, memory: id } = useParams({ from: "/p/$project/memories/$memory" });
  const query = useQuery(memoryQuery(project, id));
  if (query.isError && !query.data) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  const memory = query.data;
  return (
    <Page
      back={<BackToMemories />}
      title={memory ? oneLine(memory.task, 200) : <Skeleton className="h-7 w-72 max-w-full" />}
      hint={
        memory ? (
          <span className="flex flex-wrap items-center gap-2 text-sm">
            <Badge tone={memory.status === "active" ? "pass" : "warn"}>{memory.status}</Badge>
            {memory.retirement && <Badge tone="warn">left out</Badge>}
            <Pinned pinned={memory.pinned} />
            <Tells tells={memory.tells} />
            <span>
              learned <Time at={memory.created_at} />
              {memory.revision > 1 && (
                <>
                  , changed <Time at={memory.updated_at} />
                </>
              )}
            </span>
          </span>
        ) : (
          " "
        )
      }
      actions={memory && <MemoryActions project={project} memory={memory} />}
    >
      {memory ? (
        <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <div className="flex min-w-0 flex-col gap-5">
            <Card
              title="Lesson"
              hint={
                <>
                  revision {memory.revision}, written by <WrittenBy author={memory.written_by} />
                </>
              }
            >
              <LessonText lesson={memory} />
            </Card>
            {memory.evidence && <EvidenceCard evidence={memory.evidence} isLeftOut={!!memory.retirement} />}
            <UtilityCard project={project} memory={memory} />
          </div>
          <div className="flex min-w-0 flex-col gap-5">
            <Origin project={project} memory={memory} />
            <ShownIn project={project} memory={id} />
            <Card title="Earlier revisions">
              <Revisions project={project} memory={id} current={memory.revision} />
            </Card>
          </div>
        </div>
      ) : (
        <div role="status" aria-label="Loading" className="flex flex-col gap-5">
          <Skeleton className="h-48 w-full" />
          <Skeleton className="h-64 w-full" />
        </div>
      )}
    </Page>
  );
}
