import { useMemo } from "react";
import type { Skill } from "@/api/types";
import { Card } from "@/components/Card";
import { Select } from "@/components/Select";
import { EmptyState } from "@/components/states";
import { classes } from "@/lib/classes";
import { plural } from "@/lib/format";
import { comparableLines } from "./document";
import { type DiffRow, foldUnchanged, type Side, sideBySide } from "./sideBySide";

const SIDES = {
  left: { name: "removed", row: "bg-fail-soft", mark: "bg-fail/20" },
  right: { name: "added", row: "bg-pass-soft", mark: "bg-pass/20" },
};

function Cell({ side, which, same }: { side: Side; which: keyof typeof SIDES; same: boolean }) {
  const look = SIDES[which];
  if (!side) return <td className="hidden bg-sunken/60 md:table-cell" />;
  return (
    <td
      className={classes(
        "block px-3 py-0.5 align-top md:table-cell md:w-1/2",
        !same && look.row,
        same && which === "left" && "hidden md:table-cell",
      )}
    >
      <span className="flex gap-3">
        <span className="w-6 shrink-0 text-right text-faint select-none" aria-hidden>
          {side.line}
        </span>
        <span className="min-w-0 text-verbatim text-ink">
          {!same && <span className="sr-only">{look.name}: </span>}
          {side.pieces.map((piece, index) => (
            <span
              key={index}
              className={classes(piece.changed && !same && "rounded-xs", piece.changed && !same && look.mark)}
            >
              {piece.text}
            </span>
          ))}
        </span>
      </span>
    </td>
  );
}

function DiffTable({ rows, older, newer }: { rows: DiffRow[]; older: Skill; newer: Skill }) {
  return (
    <table className="w-full table-fixed font-mono text-sm leading-6">
      <thead className="hidden border-b border-line font-sans text-sm text-muted md:table-header-group">
        <tr>
          <th scope="col" className="px-5 py-2 text-left font-medium">
            Version {older.version}
          </th>
          <th scope="col" className="border-l border-line px-5 py-2 text-left font-medium">
            Version {newer.version}
          </th>
        </tr>
      </thead>
      <tbody>
        {foldUnchanged(rows).map((row, index) =>
          "folded" in row ? (
            <tr key={index} className="block bg-sunken/60 md:table-row">
              <td colSpan={2} className="block px-5 py-1 font-sans text-sm text-muted md:table-cell">
                {plural(row.folded, "line")} unchanged
              </td>
            </tr>
          ) : (
            <tr key={index} className="block md:table-row md:[&>td+td]:border-l">
              <Cell side={row.left} which="left" same={row.same} />
              <Cell side={row.right} which="right" same={row.same} />
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}

type Props = { versions: Skill[]; shown: Skill; against: Skill | undefined; onAgainst: (version: number) => void };

/** A version held against another, side by side; one below the other on a phone. */
export function Comparison({ versions, shown, against, onAgainst }: Props) {
  const others = versions.filter((version) => version.version !== shown.version);
  const [older, newer] = against && against.version > shown.version ? [shown, against] : [against, shown];
  const rows = useMemo(
    () => (older ? sideBySide(comparableLines(older.content), comparableLines(newer.content)) : []),
    [older, newer],
  );
  if (!older || !against) {
    return (
      <Card>
        <EmptyState title="There is one version only">Refine the skill, and see here what has changed.</EmptyState>
      </Card>
    );
  }
  const changes = rows.filter((row) => !row.same).length;
  return (
    <Card
      title={changes === 0 ? "Nothing differs" : `${plural(changes, "line")} differ`}
      hint="Ids of memories are shown as their number"
      flush
      actions={
        <Select
          aria-label="Compare with"
          className="w-44!"
          value={against.version}
          onChange={(event) => onAgainst(Number(event.target.value))}
          options={others.map(({ version }) => ({ value: String(version), label: `with version ${version}` }))}
        />
      }
    >
      <DiffTable rows={rows} older={older} newer={newer} />
    </Card>
  );
}
