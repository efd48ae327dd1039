import type uPlot from "uplot";
import type { ChartColors } from "./Chart";

const FONT = "11px ui-sans-serif, system-ui, sans-serif";

/** Quiet axes: days below, values at the left with light lines. */
export function dayAxis(colors: ChartColors): uPlot.Axis {
  return {
    stroke: colors.faint,
    font: FONT,
    grid: { show: false },
    ticks: { show: false },
    gap: 9,
    size: 30,
    space: 64,
    values: (_, seconds) =>
      seconds.map((second) =>
        new Date(second * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" }),
      ),
    incrs: [1, 2, 3, 7, 14, 30, 61, 122].map((days) => days * 86_400),
  };
}

export function valueAxis(colors: ChartColors, format: (value: number) => string): uPlot.Axis {
  return {
    stroke: colors.faint,
    font: FONT,
    grid: { stroke: colors.line, width: 1 },
    ticks: { show: false },
    gap: 6,
    size: 44,
    values: (_, values) => values.map(format),
  };
}
