import { diffArrays, diffWordsWithSpace } from "diff";

export type Piece = { text: string; changed: boolean };
export type Side = { line: number; pieces: Piece[] } | null;
export type DiffRow = { left: Side; right: Side; same: boolean };

/** How much two lines have to have in common to be shown as one that was changed. */
const ALIKE = 0.4;

/** A whole line: where it is new or gone, its row says so. */
function plain(line: number, text: string): Side {
  return { line, pieces: [{ text, changed: false }] };
}

/** A line that was changed: what both have in common is plain, the rest is marked. Null where they are not alike. */
function changedPair(left: string, right: string): [Piece[], Piece[]] | null {
  const parts = diffWordsWithSpace(left, right);
  const common = parts.reduce((sum, part) => sum + (part.added || part.removed ? 0 : part.value.length), 0);
  if (common < ALIKE * Math.max(left.length, right.length)) return null;
  const side = (kind: "added" | "removed") =>
    parts
      .filter((part) => !part[kind === "added" ? "removed" : "added"])
      .map((part) => ({ text: part.value, changed: Boolean(part[kind]) }));
  return [side("removed"), side("added")];
}

/** Two documents line by line, beside each other. */
export function sideBySide(before: string[], after: string[]): DiffRow[] {
  const rows: DiffRow[] = [];
  let left = 0;
  let right = 0;
  let removed: string[] = [];
  const parts = diffArrays(before, after);
  for (const [index, part] of parts.entries()) {
    if (part.removed) {
      removed = part.value;
      if (parts[index + 1]?.added) continue;
    }
    const added = part.added ? part.value : [];
    if (part.added || part.removed) {
      for (let line = 0; line < Math.max(removed.length, added.length); line++) {
        const [was, is] = [removed[line], added[line]];
        const pair = was !== undefined && is !== undefined ? changedPair(was, is) : null;
        const leftSide = was === undefined ? null : pair ? { line: ++left, pieces: pair[0] } : plain(++left, was);
        const rightSide = is === undefined ? null : pair ? { line: ++right, pieces: pair[1] } : plain(++right, is);
        rows.push({ left: leftSide, right: rightSide, same: false });
      }
      removed = [];
    } else {
      for (const text of part.value) rows.push({ left: plain(++left, text), right: plain(++right, text), same: true });
    }
  }
  return rows;
}

const CONTEXT = 2;

/** Leaves two unchanged lines around every change and says how many there are between. */
export function foldUnchanged(rows: DiffRow[]): (DiffRow | { folded: number })[] {
  const near = rows.map((_, index) =>
    rows.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((row) => !row.same),
  );
  const folded: (DiffRow | { folded: number })[] = [];
  for (const [index, row] of rows.entries()) {
    const last = folded.at(-1);
    if (near[index]) folded.push(row);
    else if (last && "folded" in last) last.folded += 1;
    else folded.push({ folded: 1 });
  }
  return folded;
}
