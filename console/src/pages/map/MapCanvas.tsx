import { Maximize, Minus, Plus } from "lucide-react";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { IconButton } from "@/components/IconButton";
import { formatCount, formatFigure } from "@/lib/format";
import { oneLine } from "@/lib/visible";
import { useTheme } from "@/shell/theme";
import { byShade, drawMap, shades } from "./drawMap";
import { PointGrid } from "./pointGrid";
import { useGestures } from "./useGestures";
import { afterKey, type Point, type Size, scaleOf, toMap, toScreen, type View, WHOLE, zoomed } from "./view";

type Props = {
  points: Point[];
  view: View;
  onView: (next: (view: View) => View) => void;
  picked: Point | null;
  onPick: (point: Point | null) => void;
};

const REACH = 12;
/** From this many points on, what moves is drawn as a draft. */
const MANY = 3000;

export function MapCanvas({ points, view, onView, picked, onPick }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const [hovered, setHovered] = useState<Point | null>(null);
  const drawnView = useRef<View | null>(null);
  const theme = useTheme().resolved;
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read from the page, which the theme changes
  const colours = useMemo(shades, [theme]);
  const groups = useMemo(() => byShade(points), [points]);
  const grid = useMemo(() => new PointGrid(points), [points]);

  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (size.width === 0) return;
    const draw = (draft: boolean) => {
      drawnView.current = view;
      if (canvas.current) drawMap(canvas.current, { groups, colours, view, size, draft, marked: [hovered, picked] });
    };
    const moving = points.length > MANY && drawnView.current !== null && drawnView.current !== view;
    const frame = requestAnimationFrame(() => draw(moving));
    const rest = moving ? setTimeout(() => draw(false), 160) : undefined;
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(rest);
    };
  }, [points.length, groups, colours, view, size, hovered, picked]);

  const pointAt = (pixel: { x: number; y: number }) => {
    const place = toMap(pixel, view, size);
    return grid.nearest(place.x, place.y, REACH / scaleOf(view, size));
  };
  const gestures = useGestures({
    target: holder,
    size,
    change: onView,
    onHover: (pixel) => setHovered(pixel && pointAt(pixel)),
    onPick: (pixel) => onPick(pointAt(pixel)),
  });
  const press = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || !afterKey(event.key, view, size)) return;
    event.preventDefault();
    onView((now) => afterKey(event.key, now, size) ?? now);
  };
  const tip = hovered && toScreen(hovered, view, size);
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={holder}
        role="img"
        tabIndex={0}
        aria-label={`Map of ${formatCount(points.length)} memories, near ones alike, coloured by utility. Arrows move it, plus and minus zoom. The list shows the same.`}
        onKeyDown={press}
        {...gestures}
        className="absolute inset-0 cursor-grab touch-none overflow-hidden rounded-xl focus-visible:outline-offset-[-2px] active:cursor-grabbing"
      >
        <canvas ref={canvas} className="block size-full" aria-hidden />
        {hovered && tip && (
          <div
            className="pointer-events-none absolute z-10 w-64 -translate-x-1/2 rounded-md border border-line bg-surface px-2.5 py-1.5 text-xs shadow-float"
            style={{
              left: `clamp(8.25rem, ${tip.x}px, calc(100% - 8.25rem))`,
              top: tip.y > size.height - 120 ? tip.y - 84 : tip.y + 14,
            }}
          >
            <p className="line-clamp-2 text-ink">{oneLine(hovered.task)}</p>
            <p className="text-muted">
              utility {formatFigure(hovered.q_value)}, {formatCount(hovered.uses)} uses
            </p>
          </div>
        )}
      </div>
      <div className="absolute top-3 right-3 flex flex-col rounded-lg border border-line bg-surface shadow-card">
        <IconButton label="Nearer" icon={<Plus />} onClick={() => onView((now) => zoomed(now, size, 1.6))} />
        <IconButton label="Farther" icon={<Minus />} onClick={() => onView((now) => zoomed(now, size, 1 / 1.6))} />
        <IconButton label="The whole map" icon={<Maximize />} onClick={() => onView(() => WHOLE)} />
      </div>
    </div>
  );
}
