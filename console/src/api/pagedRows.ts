/** The rows of a list that are known, from its start on, and where the next page starts; null at the end. */
export type Rows<Row> = { rows: Row[]; next: string | null };
/** Indices of rows, both ends included. */
export type RowRange = { from: number; to: number };

type Identified = { id: string };

function withoutRepeats<Row extends Identified>(rows: Row[]): Row[] {
  const seen = new Set<string>();
  return rows.filter((row) => !seen.has(row.id) && seen.add(row.id));
}

export function firstRows<Row extends Identified>(page: Rows<Row>): Rows<Row> {
  return { rows: page.rows, next: page.next };
}

/** The rows with one more page at the end, unless they have changed their end meanwhile. */
export function appended<Row extends Identified>(known: Rows<Row>, cursor: string | null, page: Rows<Row>): Rows<Row> {
  if (known.next !== cursor) return known;
  return { rows: withoutRepeats([...known.rows, ...page.rows]), next: page.next };
}

/**
 * The rows with a fresh page in place of those from `from` on. Where the page ends with a known row, what follows stays known;
 * otherwise nobody knows what stands between, and the list ends with the page.
 */
export function refreshed<Row extends Identified>(known: Rows<Row>, from: number, page: Rows<Row>): Rows<Row> {
  const before = known.rows.slice(0, from);
  const last = page.rows.at(-1);
  if (page.next === null || !last) return { rows: withoutRepeats([...before, ...page.rows]), next: page.next };
  const joins = known.rows.findIndex((row) => row.id === last.id);
  if (joins < from) return { rows: withoutRepeats([...before, ...page.rows]), next: page.next };
  return { rows: withoutRepeats([...before, ...page.rows, ...known.rows.slice(joins + 1)]), next: known.next };
}

/** The cursor of the next page in a `Link` header. */
export function nextCursor(response: Response): string | null {
  const next = response.headers
    .get("link")
    ?.split(",")
    .find((part) => /rel="?next"?/.test(part));
  const url = next?.match(/<([^>]*)>/)?.[1];
  return url ? new URL(url, location.origin).searchParams.get("cursor") : null;
}
