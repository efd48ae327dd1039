import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ErrorState, Skeleton } from "@/components/states";
import { Time } from "@/components/Time";
import { Verbatim } from "@/components/Verbatim";
import { plural } from "@/lib/format";
import { visible } from "@/lib/visible";
import { Replay } from "@/pages/trace/Replay";
import type { Message } from "@/pages/trace/steps";
import { traceQuery } from "@/pages/traces/queries";
import { TraceBadge } from "@/pages/traces/TraceBadge";

/** The trace under review: its task, and everything that happened. */
export function OnTheTable({ project, id }: { project: string; id: string }) {
  const query = useQuery(traceQuery(project, id));
  const [step, setStep] = useState(0);
  if (query.isError && !query.data) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  const trace = query.data;
  if (!trace)
    return (
      <div role="status" aria-label="Loading" className="flex flex-col gap-4 p-5">
        <Skeleton className="h-6 w-2/3" />
        <Skeleton className="h-24 w-full" />
        <Skeleton className="h-24 w-full" />
      </div>
    );
  return (
    <>
      <header className="flex flex-col gap-1 border-b border-line px-4 py-3 sm:px-5">
        <h2 dir="auto" className="scroll-quiet max-h-20 overflow-y-auto text-verbatim text-lg font-semibold">
          <Verbatim text={trace.task} />
        </h2>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
          {trace.review && <TraceBadge trace={trace} />}
          {trace.model && <span>{visible(trace.model)}</span>}
          <span>{plural(trace.retrieved_memory_ids.length, "memory", "memories")} shown</span>
          <Time at={trace.created_at} />
          <Link to="/p/$project/traces/$trace" params={{ project, trace: id }} className="text-accent hover:underline">
            Open the trace
          </Link>
        </p>
      </header>
      <Replay messages={(trace.trajectory as Message[] | undefined) ?? []} current={step} onCurrent={setStep} />
    </>
  );
}
