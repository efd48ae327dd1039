import { useCallback, useMemo } from "react";
import type uPlot from "uplot";
import type { DayStatistics } from "@/api/types";
import { Card } from "@/components/Card";
import { Chart, type ChartColors, type ChartOptions } from "@/components/Chart";
import { dayAxis, valueAxis } from "@/components/chartAxes";
import { EmptyState } from "@/components/states";
import { formatPercent, plural } from "@/lib/format";
import { wilsonInterval } from "@/lib/statistics";
import { type Bucket, bucketDays, bucketName, toBuckets } from "./buckets";

/** A single point has no band: its interval is drawn as a bar. */
function drawLoneInterval(plot: uPlot, color: string): void {
  const [times, lows, highs] = plot.data;
  const known = Array.from(lows ?? []).flatMap((low, index) => (low == null ? [] : [index]));
  const index = known[0];
  if (known.length !== 1 || index === undefined) return;
  const x = plot.valToPos(times[index] as number, "x", true);
  const context = plot.ctx;
  context.save();
  context.strokeStyle = color;
  context.globalAlpha = 0.35;
  context.lineWidth = 6 * devicePixelRatio;
  context.beginPath();
  context.moveTo(x, plot.valToPos(lows?.[index] as number, "y", true));
  context.lineTo(x, plot.valToPos(highs?.[index] as number, "y", true));
  context.stroke();
  context.restore();
}

function options(colors: ChartColors): ChartOptions {
  return {
    scales: { x: { time: true, range: (_, min, max) => [min - 21_600, max + 21_600] }, y: { range: [0, 1] } },
    axes: [dayAxis(colors), valueAxis(colors, (value) => `${Math.round(value * 100)} %`)],
    bands: [{ series: [2, 1], fill: colors.accentSoft }],
    hooks: { draw: [(plot) => drawLoneInterval(plot, colors.accent)] },
    series: [
      {},
      { width: 0, points: { show: false }, spanGaps: true },
      { width: 0, points: { show: false }, spanGaps: true },
      { stroke: colors.accent, width: 2, spanGaps: true, points: { size: 5, fill: colors.accent } },
    ],
  };
}

function toData(buckets: Bucket[]): uPlot.AlignedData {
  const intervals = buckets.map((bucket) => wilsonInterval(bucket.passed, bucket.passed + bucket.failed));
  return [
    buckets.map((bucket) => bucket.start),
    intervals.map((interval) => interval?.low ?? null),
    intervals.map((interval) => interval?.high ?? null),
    buckets.map(({ passed, failed }) => (passed + failed === 0 ? null : passed / (passed + failed))),
  ];
}

function describe(buckets: Bucket[]): string {
  const known = buckets.filter(({ passed, failed }) => passed + failed > 0);
  const share = (bucket?: Bucket) =>
    bucket ? formatPercent(bucket.passed / (bucket.passed + bucket.failed)) : "unknown";
  return `Pass rate over time: ${share(known[0])} at first, ${share(known.at(-1))} at last, ${plural(known.length, "point")}`;
}

/** The share of reviewed runs that passed, by the day they were made, with Wilson's interval around it. */
export function PassRateChart({ days, className }: { days: DayStatistics[]; className?: string }) {
  const buckets = useMemo(() => toBuckets(days), [days]);
  const data = useMemo(() => toData(buckets), [buckets]);
  const tooltip = useCallback(
    (index: number) => {
      const bucket = buckets[index];
      if (!bucket) return null;
      const total = bucket.passed + bucket.failed;
      const interval = wilsonInterval(bucket.passed, total);
      return (
        <>
          <p className="text-muted">{bucketName(bucket)}</p>
          {interval ? (
            <p className="font-medium text-ink">
              {formatPercent(bucket.passed / total)} of {plural(total, "review")}
              <span className="font-normal text-muted">
                {" "}
                ({formatPercent(interval.low)} to {formatPercent(interval.high)})
              </span>
            </p>
          ) : (
            <p className="text-ink">no reviews</p>
          )}
        </>
      );
    },
    [buckets],
  );
  const size = bucketDays(days.length);
  return (
    <Card
      title="Pass rate over time"
      hint={`Reviewed runs by ${size === 1 ? "day" : size === 7 ? "week" : `${size} days`}; the band is where the true rate lies with 95 % confidence`}
      className={className}
    >
      {buckets.some(({ passed, failed }) => passed + failed > 0) ? (
        <Chart label={describe(buckets)} data={data} options={options} height={304} tooltip={tooltip} />
      ) : (
        <div className="flex h-76 items-center justify-center">
          <EmptyState title="No reviews in this time">Pass or fail a run and its rate shows here.</EmptyState>
        </div>
      )}
    </Card>
  );
}
