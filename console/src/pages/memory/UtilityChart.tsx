import { useMemo } from "react";
import uPlot from "uplot";
import type { CreditStep } from "@/api/types";
import { Chart, type ChartColors, type ChartOptions } from "@/components/Chart";
import { valueAxis } from "@/components/chartAxes";
import { tokenColor } from "@/lib/colors";
import { formatFigure, formatTime } from "@/lib/format";

const AT_FIRST = 0.5;

function options(colors: ChartColors): ChartOptions {
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const points = (color: string): uPlot.Series => ({
    stroke: color,
    width: 0,
    paths: () => null,
    points: { show: true, size: 7, fill: color, stroke: color },
  });
  return {
    scales: { x: { time: false }, y: { range: [0, 1] } },
    axes: [
      {
        stroke: colors.faint,
        font: "11px ui-sans-serif, system-ui, sans-serif",
        grid: { show: false },
        ticks: { show: false },
        size: 24,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
      },
      valueAxis(colors, (value) => value.toFixed(2)),
    ],
    series: [
      {},
      { stroke: colors.accent, width: 2, paths: stepped, points: { show: false } },
      points(tokenColor("pass")),
      points(tokenColor("fail")),
    ],
  };
}

/** A memory's utility, review by review. `steps` are newest first. */
export function UtilityChart({ steps, isWhole }: { steps: CreditStep[]; isWhole: boolean }) {
  const oldestFirst = useMemo(() => [...steps].reverse(), [steps]);
  const data = useMemo((): uPlot.AlignedData => {
    const start = isWhole ? [AT_FIRST] : [];
    const first = isWhole ? 0 : (oldestFirst[0]?.position ?? 0) + 1;
    const values = [...start, ...oldestFirst.map((step) => step.q_value_after)];
    const only = (result: string) => [
      ...start.map(() => null),
      ...oldestFirst.map((step) => (step.result === result ? step.q_value_after : null)),
    ];
    return [values.map((_, index) => first + index), values, only("pass"), only("fail")];
  }, [oldestFirst, isWhole]);
  const last = steps[0]?.q_value_after ?? AT_FIRST;
  return (
    <Chart
      label={`Utility over ${steps.length} reviews, from ${formatFigure(AT_FIRST)} to ${formatFigure(last)}`}
      data={data}
      options={options}
      height={180}
      tooltip={(index) => {
        const step = oldestFirst[index - (isWhole ? 1 : 0)];
        if (!step) return "at first 0.50";
        return (
          <>
            {step.result} → {formatFigure(step.q_value_after)}
            <br />
            <span className="text-muted">{formatTime(step.created_at)}</span>
          </>
        );
      }}
    />
  );
}
