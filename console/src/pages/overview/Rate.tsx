import type { Counts } from "@/api/types";
import { formatPercent, plural } from "@/lib/format";
import { wilsonInterval } from "@/lib/statistics";

type Props = { label: string; counts: Counts; color: string; note?: string };

/** A pass rate with the interval in which the true one lies. */
export function Rate({ label, counts, color, note }: Props) {
  const total = counts.passed + counts.failed;
  const interval = wilsonInterval(counts.passed, total);
  const words = interval
    ? `${plural(total, "reviewed run")}, ${formatPercent(interval.low)} to ${formatPercent(interval.high)}`
    : "no reviewed runs";
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
      <p className="text-sm text-muted">{note ? `${words}; ${note}` : words}</p>
    </div>
  );
}
