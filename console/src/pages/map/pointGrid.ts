import type { Point } from "./view";

const CELL = 0.02;

const cellOf = (value: number) => Math.floor(value / CELL);

/** Finds the point that is nearest to a place without looking at all of them. */
export class PointGrid {
  private readonly cells = new Map<string, Point[]>();

  constructor(points: Point[]) {
    for (const point of points) {
      const name = `${cellOf(point.x)} ${cellOf(point.y)}`;
      const cell = this.cells.get(name);
      if (cell) cell.push(point);
      else this.cells.set(name, [point]);
    }
  }

  /** The nearest within `reach`, or null. */
  nearest(x: number, y: number, reach: number): Point | null {
    let best: Point | null = null;
    let distance = reach * reach;
    for (let column = cellOf(x - reach); column <= cellOf(x + reach); column++) {
      for (let row = cellOf(y - reach); row <= cellOf(y + reach); row++) {
        for (const point of this.cells.get(`${column} ${row}`) ?? []) {
          const away = (point.x - x) ** 2 + (point.y - y) ** 2;
          if (away > distance) continue;
          distance = away;
          best = point;
        }
      }
    }
    return best;
  }
}
