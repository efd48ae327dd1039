import { type PointerEvent, type RefObject, useEffect, useRef } from "react";
import { moved, type Size, type View, zoomed } from "./view";

type Pixel = { x: number; y: number };
type Options = {
  target: RefObject<HTMLElement | null>;
  size: Size;
  change: (next: (view: View) => View) => void;
  onHover: (pixel: Pixel | null) => void;
  onPick: (pixel: Pixel) => void;
};

/** Drag to move, wheel or pinch to zoom, click to pick. */
export function useGestures({ target, size, change, onHover, onPick }: Options) {
  const fingers = useRef(new Map<number, Pixel>());
  const travelled = useRef(0);
  const at = (event: { clientX: number; clientY: number }): Pixel => {
    const box = target.current?.getBoundingClientRect();
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
  };
  // React listens to wheels passively; then the page would scroll with the map.
  const wheel = useRef((_: WheelEvent) => {});
  wheel.current = (event) => {
    event.preventDefault();
    const speed = event.deltaMode === 1 ? 0.06 : 0.0022;
    change((view) => zoomed(view, size, Math.exp(-event.deltaY * speed), at(event)));
  };
  useEffect(() => {
    const element = target.current;
    const listener = (event: WheelEvent) => wheel.current(event);
    element?.addEventListener("wheel", listener, { passive: false });
    return () => element?.removeEventListener("wheel", listener);
  }, [target]);

  return {
    onPointerDown: (event: PointerEvent) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      fingers.current.set(event.pointerId, at(event));
      travelled.current = 0;
    },
    onPointerMove: (event: PointerEvent) => {
      const now = at(event);
      const before = fingers.current.get(event.pointerId);
      if (!before) return onHover(now);
      const by = { x: now.x - before.x, y: now.y - before.y };
      travelled.current += Math.abs(by.x) + Math.abs(by.y);
      const other = [...fingers.current].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const apart = (pixel: Pixel) => Math.hypot(pixel.x - other.x, pixel.y - other.y) || 1;
        change((view) => zoomed(view, size, apart(now) / apart(before), other));
      } else if (travelled.current > 3) change((view) => moved(view, size, by));
      fingers.current.set(event.pointerId, now);
    },
    onPointerUp: (event: PointerEvent) => {
      const pressed = fingers.current.delete(event.pointerId);
      if (pressed && travelled.current <= 3) onPick(at(event));
    },
    onPointerCancel: (event: PointerEvent) => void fingers.current.delete(event.pointerId),
    onPointerLeave: () => onHover(null),
  };
}
