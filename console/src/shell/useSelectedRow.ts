import { type RefObject, useState } from "react";
import { useShortcuts } from "./shortcuts";

type Options<Row> = {
  rows: Row[];
  /** What a row is: `trace`. */
  noun: string;
  /** Where the help sheet lists the keys: `Traces`. */
  group: string;
  onOpen: (row: Row) => void;
  searchField: RefObject<HTMLInputElement | null>;
};

/** The row of a list that keys have led to; `j` and `k` move, `o` opens, `/` goes to the search field. */
export function useSelectedRow<Row extends { id: string }>(options: Options<Row>): string | null {
  const { rows, noun, group, onOpen, searchField } = options;
  const [selected, setSelected] = useState<string | null>(null);
  const at = () => rows.findIndex((row) => row.id === selected);
  const move = (by: number) => {
    const next = rows[at() < 0 ? 0 : Math.min(Math.max(at() + by, 0), rows.length - 1)];
    if (next) setSelected(next.id);
  };
  const open = () => {
    const row = rows[at()];
    if (row) onOpen(row);
  };
  useShortcuts([
    { keys: "j", label: `Next ${noun}`, group, run: () => move(1) },
    { keys: "k", label: `Previous ${noun}`, group, run: () => move(-1) },
    { keys: "o", label: `Open the ${noun}`, group, run: open },
    { keys: "/", label: "Search", group, run: () => searchField.current?.focus() },
  ]);
  return selected;
}
