import type { Counts } from "@/api/types";
import { Card } from "@/components/Card";
import { formatPercent, plural } from "@/lib/format";
import { wilsonInterval } from "@/lib/statistics";

function Rate({ label, counts, color }: { label: string; counts: Counts; color: string }) {
  const total = counts.passed + counts.failed;
  const interval = wilsonInterval(counts.passed, total);
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-baseline justify-between gap-2">
        <span className="text-ink">{label}</span>
        <span className="text-lg font-semibold text-ink">{interval ? formatPercent(counts.passed / total) : "–"}</span>
      </div>
      <div className="relative h-2 rounded-full bg-sunken" aria-hidden>
        {interval && (
          <>
            <span
              className={`absolute inset-y-0 left-0 rounded-full ${color}`}
              style={{ width: `${(counts.passed / total) * 100}%` }}
            />
            <span
              className="absolute -inset-y-0.5 rounded-sm border-x-2 border-ink/60 bg-ink/10"
              style={{ left: `${interval.low * 100}%`, width: `${(interval.high - interval.low) * 100}%` }}
            />
          </>
        )}
      </div>
      <p className="text-sm text-muted">
        {interval
          ? `${plural(total, "reviewed run")}, ${formatPercent(interval.low)} to ${formatPercent(interval.high)}`
          : "no reviewed runs"}
      </p>
    </div>
  );
}

/** Runs that were shown memories beside those that were not, and what may not be read into it. */
export function WithAndWithout({ withMemories, without }: { withMemories: Counts; without: Counts }) {
  return (
    <Card title="With and without memories" hint="Reviewed runs of the same time">
      <div className="flex h-full flex-col gap-5">
        <Rate label="Memories shown" counts={withMemories} color="bg-accent" />
        <Rate label="None shown" counts={without} color="bg-faint" />
        <p className="mt-auto rounded-lg bg-sunken px-3 py-2.5 text-sm text-muted">
          The difference alone proves nothing: tasks that have memories are tasks that came before, and may be easier or
          harder than new ones. To know, show memories to a random half of the same tasks.
        </p>
      </div>
    </Card>
  );
}
