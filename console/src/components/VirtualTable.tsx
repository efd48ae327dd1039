import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useCallback, useEffect, useRef } from "react";
import { classes } from "@/lib/classes";
import { type Breakpoint, useWidthClass, WIDTH_CLASS } from "@/lib/useMediaQuery";
import { SortHeader } from "./SortHeader";

export type Column<Row> = {
  id: string;
  header: ReactNode;
  /** A track of the grid: `minmax(0, 1fr)`, `8rem`. */
  width: string;
  cell: (row: Row) => ReactNode;
  align?: "right";
  /** Shown from this width on. */
  from?: Breakpoint;
  sortable?: boolean;
};

type Props<Row> = {
  label: string;
  rows: Row[];
  columns: Column<Row>[];
  rowKey: (row: Row) => string;
  rowHeight?: number;
  /** How many there are in all, when more can be fetched; read to screen readers. */
  total?: number;
  sort?: { column: string; direction: "asc" | "desc" };
  onSort?: (column: string) => void;
  onOpen?: (row: Row) => void;
  selected?: string | null;
  /** Called when the end comes near: fetch the next page. */
  onEnd?: () => void;
  /** Told which rows are drawn, first and last, whenever that changes. */
  onView?: (range: { from: number; to: number }) => void;
  className?: string;
  empty?: ReactNode;
};

/** A table that draws only the rows in view; it scrolls by itself and fills the height its parent gives it. */
export function VirtualTable<Row>(props: Props<Row>) {
  const {
    label,
    rows,
    rowKey,
    rowHeight = 44,
    total,
    sort,
    onSort,
    onOpen,
    selected,
    onEnd,
    onView,
    className,
    empty,
  } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidthClass();
  const columns = props.columns.filter((column) => !column.from || width >= WIDTH_CLASS[column.from]);
  const template = columns.map((column) => column.width).join(" ");
  const keyOf = useRef(rowKey);
  keyOf.current = rowKey;
  // With another function the virtualizer measures all rows anew, at every step of scrolling.
  const getItemKey = useCallback((index: number) => keyOf.current(rows[index] as Row), [rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    getItemKey,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (onEnd && rows.length > 0 && last >= rows.length - 60) onEnd();
  }, [onEnd, last, rows.length]);
  const first = items[0]?.index ?? 0;
  useEffect(() => onView?.({ from: first, to: last }), [onView, first, last]);
  const selectedIndex = selected ? rows.findIndex((row) => rowKey(row) === selected) : -1;
  useEffect(() => {
    if (selectedIndex >= 0) virtual.scrollToIndex(selectedIndex, { align: "auto" });
  }, [selectedIndex, virtual]);

  return (
    <div
      ref={scroller}
      role="table"
      aria-label={label}
      aria-rowcount={(total ?? rows.length) + 1}
      tabIndex={0}
      className={classes("scroll-quiet min-h-0 flex-1 overflow-auto focus-visible:outline-offset-[-2px]", className)}
    >
      <div role="rowgroup" className="sticky top-0 z-10 bg-surface">
        {/* biome-ignore lint/a11y/useFocusableInteractive: rows of a table are not interactive */}
        <div
          role="row"
          aria-rowindex={1}
          className="grid border-b border-line"
          style={{ gridTemplateColumns: template }}
        >
          {columns.map((column) => (
            <SortHeader key={column.id} column={column} sort={sort} onSort={onSort} />
          ))}
        </div>
      </div>
      {rows.length === 0 && empty}
      <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index] as Row;
          const key = rowKey(row);
          return (
            // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: each row holds a link for the keyboard
            <div
              key={key}
              role="row"
              aria-rowindex={item.index + 2}
              aria-selected={selected === undefined ? undefined : key === selected}
              onClick={onOpen && (() => onOpen(row))}
              className={classes(
                "absolute inset-x-0 top-0 grid items-center border-b border-line",
                onOpen && "cursor-pointer hover:bg-hover",
                key === selected && "bg-accent-soft",
              )}
              style={{ gridTemplateColumns: template, height: rowHeight, transform: `translateY(${item.start}px)` }}
            >
              {columns.map((column) => (
                <div
                  key={column.id}
                  role="cell"
                  className={classes(
                    "min-w-0 truncate px-3 first:pl-5 last:pr-5",
                    column.align === "right" && "text-right",
                  )}
                >
                  {column.cell(row)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
