import { useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { CircleCheckBig } from "lucide-react";
import { useRef, useState } from "react";
import { useMay } from "@/api/session";
import { Button, buttonClasses } from "@/components/Button";
import { EmptyState, ErrorState, SkeletonRows } from "@/components/states";
import { plural } from "@/lib/format";
import { traceQuery } from "@/pages/traces/queries";
import { useShortcuts } from "@/shell/shortcuts";
import { Decided } from "./Decided";
import { OnTheTable } from "./OnTheTable";
import { useUnsent } from "./outbox";
import { ReviewProgress } from "./ReviewProgress";
import { useReviewQueue } from "./useReviewQueue";
import { type Result, VerdictPanel } from "./VerdictPanel";

export function ReviewPage() {
  const { project } = useParams({ from: "/p/$project" });
  const mayReview = useMay("trace:write");
  const queries = useQueryClient();
  const queue = useReviewQueue(project);
  const unsent = useUnsent(project);
  const field = useRef<HTMLTextAreaElement>(null);
  const [asking, setAsking] = useState<Result>("fail");
  const { current, list, decided } = queue;

  const ask = (result: Result) => {
    setAsking(result);
    field.current?.focus();
  };
  const decide = (result: Result, feedback: string) => {
    if (!current) return;
    const task =
      list.rows.find((row) => row.id === current)?.task ??
      queries.getQueryData(traceQuery(project, current).queryKey)?.task;
    setAsking("fail");
    queue.decide({ trace_id: current, task: task ?? current, result }, feedback);
  };
  const undo = decided.length > 0 ? () => queue.undo() : undefined;
  const group = "Review";
  useShortcuts([
    { keys: "p", label: "Pass", group, run: () => decide("pass", field.current?.value ?? "") },
    { keys: "P", label: "Pass with feedback", group, run: () => ask("pass") },
    { keys: "f", label: "Fail with feedback", group, run: () => ask("fail") },
    { keys: "d", label: "Defer", group, run: queue.defer },
    { keys: "n", label: "Next trace", group, run: queue.next },
    { keys: "b", label: "Trace before", group, run: queue.previous },
    { keys: "u", label: "Undo the last review", group, run: () => undo?.() },
  ]);

  if (!mayReview) return <EmptyState title="This key may not review">A key with the scope trace:write may.</EmptyState>;
  if (list.isError && list.rows.length === 0)
    return <ErrorState error={list.error} retry={() => void list.refetch()} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 px-4 py-5 sm:px-6 lg:px-8 lg:py-7">
      <header className="flex flex-col gap-1.5">
        <h1 className="text-xl font-semibold tracking-tight">Review</h1>
        <ReviewProgress
          done={decided.length}
          left={queue.left}
          more={queue.isMoreLeft}
          deferred={queue.deferred}
          unsent={unsent}
          onRecall={queue.recall}
        />
      </header>
      {list.isPending && !current ? (
        <SkeletonRows rows={8} />
      ) : current ? (
        <div className="flex min-h-0 flex-1 flex-col gap-4 lg:flex-row">
          <section
            aria-label="Trace under review"
            className="flex min-h-64 min-w-0 flex-1 flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-card"
          >
            <OnTheTable key={current} project={project} id={current} />
          </section>
          <aside aria-label="Verdicts" className="flex min-h-0 shrink-0 flex-col gap-5 lg:w-80">
            <VerdictPanel
              key={current}
              field={field}
              asking={asking}
              onAsk={ask}
              onDecide={decide}
              onDefer={queue.defer}
              onUndo={undo}
            />
            <Decided decided={decided} onUndo={queue.undo} />
          </aside>
        </div>
      ) : (
        <EmptyState
          icon={<CircleCheckBig />}
          title={queue.deferred > 0 ? "Only deferred traces are left" : "Nothing is left to review"}
          action={
            <div className="flex flex-wrap justify-center gap-2">
              {queue.deferred > 0 && (
                <Button look="primary" onClick={queue.recall}>
                  Look at the deferred {queue.deferred}
                </Button>
              )}
              {undo && <Button onClick={undo}>Undo the last review</Button>}
              <Link to="/p/$project/traces" params={{ project }} className={buttonClasses()}>
                All traces
              </Link>
            </div>
          }
        >
          {decided.length > 0 ? `You have reviewed ${plural(decided.length, "trace")} on this tab.` : undefined}
        </EmptyState>
      )}
    </div>
  );
}
