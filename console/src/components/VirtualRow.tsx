import { memo, type ReactNode } from "react";
import { classes } from "@/lib/classes";
import type { Column } from "./VirtualTable";

type Props<Row> = {
  row: Row;
  /** Counted from 0, without the header. */
  index: number;
  columns: Column<Row>[];
  height: number;
  top: number;
  isSelected: boolean | undefined;
  onOpen?: (row: Row) => void;
};

function TableRow<Row>({ row, index, columns, height, top, isSelected, onOpen }: Props<Row>): ReactNode {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: each row holds a link for the keyboard
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      onClick={onOpen && (() => onOpen(row))}
      className={classes(
        "absolute inset-x-0 top-0 grid items-center border-b border-line contain-strict",
        // The row shows the focus of its link, which its cell would cut off.
        "has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-accent [&_a]:outline-none",
        onOpen && "cursor-pointer hover:bg-hover",
        isSelected && "bg-accent-soft",
      )}
      style={{ gridTemplateColumns: tracks(columns), height, transform: `translateY(${top}px)` }}
    >
      {columns.map((column) => (
        <div
          key={column.id}
          role="cell"
          className={classes("min-w-0 truncate px-3 first:pl-5 last:pr-5", column.align === "right" && "text-right")}
        >
          {column.cell(row)}
        </div>
      ))}
    </div>
  );
}

export function tracks<Row>(columns: Column<Row>[]): string {
  return columns.map((column) => column.width).join(" ");
}

/** A row of a virtual table. While others come and go by scrolling, those that stay are not drawn again. */
export const VirtualRow = memo(TableRow) as typeof TableRow;
