import { tokenColor, utilityColor } from "@/lib/colors";
import { dotScale, type Point, radiusOf, type Size, toScreen, type View } from "./view";

const SHADES = 21;

/** The colours of utilities as the canvas takes them: it does not know the page's tokens. */
export function shades(): string[] {
  const probe = document.createElement("span");
  // Where motion is reduced, every change of colour is a very short transition, which would still show the colour before.
  probe.style.setProperty("transition", "none", "important");
  document.body.append(probe);
  const made = Array.from({ length: SHADES }, (_, shade) => {
    probe.style.color = utilityColor(shade / (SHADES - 1));
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return made;
}

/** Points by their shade, those without evidence apart, so that each colour is set once. */
export function byShade(points: Point[]): Point[][] {
  const groups: Point[][] = Array.from({ length: SHADES * 2 }, () => []);
  for (const point of points) {
    const shade = Math.round(Math.min(Math.max(point.q_value, 0), 1) * (SHADES - 1));
    groups[point.uses === 0 ? shade : shade + SHADES]?.push(point);
  }
  return groups;
}

/** Pale ones first; then from the unknown to the telling, so that these lie on top. */
const DRAWN_IN = Array.from({ length: SHADES * 2 }, (_, index) => index).sort((a, b) => {
  const telling = (index: number) => Math.abs((index % SHADES) - (SHADES - 1) / 2);
  return Math.floor(a / SHADES) - Math.floor(b / SHADES) || telling(a) - telling(b);
});

/** A draft has squares for dots, five times as quick: for while it moves. */
export type Drawing = {
  groups: Point[][];
  colours: string[];
  view: View;
  size: Size;
  marked: (Point | null)[];
  draft: boolean;
};

export function drawMap(canvas: HTMLCanvasElement, { groups, colours, view, size, marked, draft }: Drawing): void {
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(size.width * ratio) || canvas.height !== Math.round(size.height * ratio)) {
    canvas.width = Math.round(size.width * ratio);
    canvas.height = Math.round(size.height * ratio);
  }
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, size.width, size.height);
  const dots = dotScale(
    view,
    size,
    groups.reduce((sum, group) => sum + group.length, 0),
  );
  for (const index of DRAWN_IN) {
    const group = groups[index] ?? [];
    pen.fillStyle = colours[index % SHADES] ?? "";
    pen.globalAlpha = index < SHADES ? 0.45 : 0.9;
    pen.beginPath();
    for (const point of group) {
      const { x, y } = toScreen(point, view, size);
      const radius = radiusOf(point, dots);
      if (x < -radius || y < -radius || x > size.width + radius || y > size.height + radius) continue;
      if (draft) pen.fillRect(x - radius, y - radius, radius * 1.8, radius * 1.8);
      else {
        pen.moveTo(x + radius, y);
        pen.arc(x, y, radius, 0, Math.PI * 2);
      }
    }
    if (!draft) pen.fill();
  }
  pen.globalAlpha = 1;
  pen.strokeStyle = tokenColor("ink");
  pen.lineWidth = 2;
  for (const point of marked) {
    if (!point) continue;
    const { x, y } = toScreen(point, view, size);
    pen.beginPath();
    pen.arc(x, y, radiusOf(point, dots) + 3, 0, Math.PI * 2);
    pen.stroke();
  }
}
