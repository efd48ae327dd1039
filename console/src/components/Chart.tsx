import { type ReactNode, useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import { tokenColor } from "@/lib/colors";
import { useTheme } from "@/shell/theme";

export type ChartColors = {
  ink: string;
  faint: string;
  line: string;
  accent: string;
  accentSoft: string;
  high: string;
  low: string;
};
export type ChartOptions = Omit<uPlot.Options, "width" | "height">;

type Props = {
  /** What the picture shows, in a sentence with figures, for those who do not see it. */
  label: string;
  data: uPlot.AlignedData;
  /** Made anew when the theme changes. Keep its identity otherwise (`useCallback` or a function of the module). */
  options: (colors: ChartColors) => ChartOptions;
  height?: number;
  /** What to say about the point under the pointer. */
  tooltip?: (index: number) => ReactNode;
};

function colors(): ChartColors {
  return {
    ink: tokenColor("ink"),
    faint: tokenColor("ink-faint"),
    line: tokenColor("line"),
    accent: tokenColor("accent"),
    accentSoft: tokenColor("accent-soft"),
    high: tokenColor("utility-high"),
    low: tokenColor("utility-low"),
  };
}

/** uPlot in the console's colours; as wide as its parent. */
export function Chart({ label, data, options, height = 200, tooltip }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(data);
  latest.current = data;
  const [hovered, setHovered] = useState<{ index: number; left: number } | null>(null);
  const theme = useTheme().resolved;

  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read from the page, which the theme changes
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const made = options(colors());
    const onCursor = (chart: uPlot) => {
      const { idx, left } = chart.cursor;
      setHovered(
        idx == null || left == null || left < 0
          ? null
          : { index: idx, left: left + chart.bbox.left / devicePixelRatio },
      );
    };
    const chart = new uPlot(
      {
        legend: { show: false },
        ...made,
        cursor: { y: false, drag: { x: false, y: false }, ...made.cursor },
        hooks: { ...made.hooks, setCursor: [onCursor] },
        width: element.clientWidth,
        height,
      },
      latest.current,
      element,
    );
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [options, height, theme]);

  useEffect(() => {
    plot.current?.setData(data);
  }, [data]);

  return (
    <div className="relative min-w-0" style={{ height }}>
      <div ref={holder} role="img" aria-label={label} className="absolute inset-0" />
      {tooltip && hovered && (
        <div
          className="pointer-events-none absolute top-1 z-10 -translate-x-1/2 rounded-md border border-line bg-surface px-2.5 py-1.5 text-xs whitespace-nowrap shadow-float"
          style={{ left: `clamp(5rem, ${hovered.left}px, calc(100% - 5rem))` }}
        >
          {tooltip(hovered.index)}
        </div>
      )}
    </div>
  );
}
