import type { MemoryMap } from "@/api/types";

export type Point = MemoryMap["points"][number];
/** The middle of what is shown, in the map's own measure from -1 to 1, and how near it is looked at. */
export type View = { x: number; y: number; zoom: number };
export type Size = { width: number; height: number };

export const WHOLE: View = { x: 0, y: 0, zoom: 1 };
const MARGIN = 0.92;

/** Pixels for one unit of the map. */
export function scaleOf(view: View, size: Size): number {
  return (Math.min(size.width, size.height) / 2) * MARGIN * view.zoom;
}

export function toScreen(point: { x: number; y: number }, view: View, size: Size): { x: number; y: number } {
  const scale = scaleOf(view, size);
  return { x: size.width / 2 + (point.x - view.x) * scale, y: size.height / 2 - (point.y - view.y) * scale };
}

export function toMap(pixel: { x: number; y: number }, view: View, size: Size): { x: number; y: number } {
  const scale = scaleOf(view, size);
  return { x: view.x + (pixel.x - size.width / 2) / scale, y: view.y - (pixel.y - size.height / 2) / scale };
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

export function moved(view: View, size: Size, by: { x: number; y: number }): View {
  const scale = scaleOf(view, size);
  return { ...view, x: clamp(view.x - by.x / scale, -1.2, 1.2), y: clamp(view.y + by.y / scale, -1.2, 1.2) };
}

/** Nearer or farther, with what is under `pixel` staying there. */
export function zoomed(view: View, size: Size, by: number, pixel = { x: size.width / 2, y: size.height / 2 }): View {
  const zoom = clamp(view.zoom * by, 0.6, 200);
  const held = toMap(pixel, view, size);
  const now = toMap(pixel, { ...view, zoom }, size);
  return { x: clamp(view.x + held.x - now.x, -1.2, 1.2), y: clamp(view.y + held.y - now.y, -1.2, 1.2), zoom };
}

const STEP = 60;

/** Where an arrow, plus, minus or zero leads; null for other keys. */
export function afterKey(key: string, view: View, size: Size): View | null {
  switch (key) {
    case "ArrowLeft":
      return moved(view, size, { x: STEP, y: 0 });
    case "ArrowRight":
      return moved(view, size, { x: -STEP, y: 0 });
    case "ArrowUp":
      return moved(view, size, { x: 0, y: STEP });
    case "ArrowDown":
      return moved(view, size, { x: 0, y: -STEP });
    case "+":
    case "=":
      return zoomed(view, size, 1.4);
    case "-":
      return zoomed(view, size, 1 / 1.4);
    case "0":
      return WHOLE;
    default:
      return null;
  }
}

/** Dots shrink where many share little room, so that a crowd stays readable. */
export function dotScale(view: View, size: Size, count: number): number {
  const room = Math.min(Math.max(Math.min(size.width, size.height) / 800, 0.6), 1.1);
  const crowd = Math.min(Math.max((2500 / Math.max(count, 1)) ** 0.3, 0.55), 1.5);
  return room * crowd * Math.min(view.zoom ** 0.4, 4);
}

export function radiusOf(point: Point, scale: number): number {
  return (1.8 + Math.log2(1 + point.uses) * 0.55) * scale;
}
