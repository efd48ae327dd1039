import { useCallback, useMemo } from "react";
import uPlot from "uplot";
import type { DayStatistics } from "@/api/types";
import { Card } from "@/components/Card";
import { Chart, type ChartColors, type ChartOptions } from "@/components/Chart";
import { dayAxis, valueAxis } from "@/components/chartAxes";
import { formatCompact, formatCount, plural } from "@/lib/format";
import { type Bucket, bucketDays, bucketName, toBuckets } from "./buckets";

function options(colors: ChartColors): ChartOptions {
  const bars = uPlot.paths.bars?.({ size: [0.72, 22], radius: [0.15, 0] });
  const bar = (fill: string): uPlot.Series => ({ fill, width: 0, points: { show: false }, paths: bars });
  return {
    scales: { x: { time: true, range: padded }, y: { range: (_, __, max) => [0, Math.max(4, max * 1.08)] } },
    axes: [dayAxis(colors), valueAxis(colors, formatWhole)],
    // Drawn from the highest stack to the lowest, each over the last.
    series: [{}, bar(colors.line), bar(colors.low), bar(colors.high)],
  };
}

/** Half a bar at either end, so that the first and last are drawn whole. */
function padded(plot: uPlot, min: number, max: number): [number, number] {
  const times = plot.data[0];
  const step = times && times.length > 1 ? (times[1] as number) - (times[0] as number) : 86_400;
  return [min - step * 0.6, max + step * 0.6];
}

function formatWhole(value: number): string {
  return Number.isInteger(value) ? formatCompact(value) : "";
}

function toData(buckets: Bucket[]): uPlot.AlignedData {
  return [
    buckets.map((bucket) => bucket.start),
    buckets.map((bucket) => bucket.traces),
    buckets.map((bucket) => bucket.passed + bucket.failed),
    buckets.map((bucket) => bucket.passed),
  ];
}

function Key({ color, label }: { color: string; label: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span className={`size-2 rounded-xs ${color}`} aria-hidden />
      {label}
    </span>
  );
}

/** How many runs were recorded, and what became of them. */
export function TracesPerDay({ days }: { days: DayStatistics[] }) {
  const buckets = useMemo(() => toBuckets(days), [days]);
  const data = useMemo(() => toData(buckets), [buckets]);
  const tooltip = useCallback(
    (index: number) => {
      const bucket = buckets[index];
      if (!bucket) return null;
      return (
        <>
          <p className="text-muted">{bucketName(bucket)}</p>
          <p className="font-medium text-ink">{plural(bucket.traces, "trace")}</p>
          <p className="text-muted">
            {formatCount(bucket.passed)} passed, {formatCount(bucket.failed)} failed
          </p>
        </>
      );
    },
    [buckets],
  );
  const size = bucketDays(days.length);
  const total = buckets.reduce((sum, bucket) => sum + bucket.traces, 0);
  return (
    <Card
      title={size === 1 ? "Traces per day" : size === 7 ? "Traces per week" : `Traces per ${size} days`}
      actions={
        <span className="flex gap-3 text-xs text-muted">
          <Key color="bg-high" label="passed" />
          <Key color="bg-low" label="failed" />
          <Key color="bg-line-strong" label="no review" />
        </span>
      }
    >
      <Chart
        label={`Traces over time: ${formatCount(total)} in all`}
        data={data}
        options={options}
        height={190}
        tooltip={tooltip}
      />
    </Card>
  );
}
