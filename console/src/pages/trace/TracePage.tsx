import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type ReactNode, useCallback, useRef } from "react";
import type { Trace } from "@/api/types";
import { SegmentedControl } from "@/components/SegmentedControl";
import { ErrorState, Skeleton } from "@/components/states";
import { Time } from "@/components/Time";
import { Verbatim } from "@/components/Verbatim";
import { classes } from "@/lib/classes";
import { plural } from "@/lib/format";
import { visible } from "@/lib/visible";
import { traceQuery } from "@/pages/traces/queries";
import { TraceBadge } from "@/pages/traces/TraceBadge";
import { BackToTraces } from "@/shell/BackLink";
import { DetailsCard } from "./DetailsCard";
import { LessonCard } from "./LessonCard";
import { ProblemCard } from "./ProblemCard";
import { Replay } from "./Replay";
import { ReviewCard } from "./ReviewCard";
import { ShownMemories } from "./ShownMemories";
import type { Message } from "./steps";

const NOTHING: Message[] = [];

function Header({ trace, children }: { trace?: Trace; children?: ReactNode }) {
  return (
    <header className="flex flex-col gap-2 px-4 pt-4 pb-3 sm:px-6 lg:px-8 lg:pt-6">
      <BackToTraces />
      {trace ? (
        <>
          <h1
            dir="auto"
            className="scroll-quiet max-h-24 overflow-y-auto text-xl font-semibold tracking-tight text-verbatim"
          >
            <Verbatim text={trace.task} />
          </h1>
          <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
            <TraceBadge trace={trace} />
            {trace.model && <span>{visible(trace.model)}</span>}
            <span>{plural(trace.trajectory?.length ?? 0, "step")}</span>
            <Time at={trace.created_at} />
            {children}
          </div>
        </>
      ) : (
        <>
          <Skeleton className="h-7 w-2/3" />
          <Skeleton className="h-8 w-64" />
        </>
      )}
    </header>
  );
}

export function TracePage() {
  const { project, trace: id } = useParams({ from: "/p/$project/traces/$trace" });
  const search = useSearch({ from: "/p/$project/traces/$trace" });
  const navigate = useNavigate();
  const query = useQuery(traceQuery(project, id));
  const latest = useRef(search);
  latest.current = search;
  const change = useCallback(
    (next: Partial<typeof search>) =>
      void navigate({
        to: "/p/$project/traces/$trace",
        params: { project, trace: id },
        search: { ...latest.current, ...next },
        replace: true,
        resetScroll: false,
      }),
    [navigate, project, id],
  );
  const pick = useCallback((index: number) => change({ step: index + 1 }), [change]);
  if (query.isError && !query.data) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  const trace = query.data;
  const messages = (trace?.trajectory as Message[] | undefined) ?? NOTHING;
  const current = Math.min(search.step ?? 1, Math.max(messages.length, 1)) - 1;
  const details = search.view === "details";
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Header trace={trace}>
        <span className="ml-auto lg:hidden">
          <SegmentedControl
            label="What to show"
            value={details ? "details" : "replay"}
            onChange={(view) => change({ view: view === "details" ? "details" : undefined })}
            options={[
              { value: "replay", label: "Replay" },
              { value: "details", label: "Details" },
            ]}
          />
        </span>
      </Header>
      <div className="flex min-h-0 flex-1 gap-5 px-4 pb-4 sm:px-6 lg:px-8 lg:pb-7">
        <section
          aria-label="Replay"
          className={classes(
            "min-h-0 min-w-0 flex-1 flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-card lg:flex",
            details ? "hidden" : "flex",
          )}
        >
          {trace ? (
            <Replay key={id} messages={messages} current={current} onCurrent={pick} />
          ) : (
            <div role="status" aria-label="Loading" className="flex flex-col gap-4 p-5">
              <Skeleton className="h-6 w-full" />
              <Skeleton className="h-24 w-full" />
              <Skeleton className="h-24 w-full" />
            </div>
          )}
        </section>
        <aside
          aria-label="Review, lesson and memories"
          className={classes(
            "scroll-quiet min-h-0 w-full flex-col gap-4 overflow-y-auto lg:flex lg:w-96 lg:shrink-0 xl:w-[27rem]",
            details ? "flex" : "hidden",
          )}
        >
          {trace && (
            <>
              <ProblemCard project={project} trace={trace} />
              <ReviewCard project={project} trace={trace} />
              <LessonCard project={project} trace={trace} />
              <ShownMemories project={project} trace={trace} />
              <DetailsCard trace={trace} />
            </>
          )}
        </aside>
      </div>
    </div>
  );
}
