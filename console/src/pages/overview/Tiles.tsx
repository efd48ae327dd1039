import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import type { ReactNode } from "react";
import { mayUse } from "@/api/session";
import type { Statistics } from "@/api/types";
import { formatCompact, formatCount, formatPercent, plural } from "@/lib/format";
import { wilsonInterval } from "@/lib/statistics";

function Tile({ label, value, note }: { label: string; value: ReactNode; note: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1 rounded-xl border border-line bg-surface p-4 shadow-card sm:px-5">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="text-2xl font-semibold tracking-tight text-ink">{value}</dd>
      <dd className="text-sm text-muted">{note}</dd>
    </div>
  );
}

function ReviewLink({ project, pending }: { project: string; pending: number }) {
  if (pending === 0) return "Every run has a review";
  if (!mayUse("trace:write")) return "waiting for a review";
  return (
    <Link
      to="/p/$project/review"
      params={{ project }}
      className="inline-flex items-center gap-1 font-medium text-accent hover:underline"
    >
      Review them <ArrowRight className="size-3.5" aria-hidden />
    </Link>
  );
}

/** The four figures that come first. */
export function Tiles({ project, statistics, days }: { project: string; statistics: Statistics; days: number }) {
  const { traces, memories } = statistics;
  const inSpan = statistics.days.reduce(
    (sum, day) => ({
      traces: sum.traces + day.traces,
      passed: sum.passed + day.passed,
      failed: sum.failed + day.failed,
    }),
    { traces: 0, passed: 0, failed: 0 },
  );
  const reviewed = inSpan.passed + inSpan.failed;
  const interval = wilsonInterval(inSpan.passed, reviewed);
  return (
    <dl className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      <Tile
        label="Pass rate"
        value={interval ? formatPercent(inSpan.passed / reviewed) : "–"}
        note={
          interval
            ? `${formatPercent(interval.low)} to ${formatPercent(interval.high)} at 95 % confidence`
            : "No run has a review yet"
        }
      />
      <Tile
        label={`Traces in ${days === 365 ? "a year" : `${days} days`}`}
        value={formatCompact(inSpan.traces)}
        note={`${formatCount(traces.total)} in all`}
      />
      <Tile
        label="Review backlog"
        value={formatCompact(traces.pending)}
        note={<ReviewLink project={project} pending={traces.pending} />}
      />
      <Tile
        label="Memories"
        value={formatCompact(memories.active)}
        note={`${formatCount(memories.with_evidence)} with evidence${memories.disabled ? `, ${plural(memories.disabled, "disabled", "disabled")}` : ""}`}
      />
    </dl>
  );
}
