import { useElementScrollRestoration } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useCallback, useEffect, useMemo, useRef } from "react";
import { classes } from "@/lib/classes";
import { type Breakpoint, useWidthClass, WIDTH_CLASS } from "@/lib/useMediaQuery";
import { SortHeader } from "./SortHeader";
import { tracks, VirtualRow } from "./VirtualRow";

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

export type TableProps<Row> = {
  label: string;
  rows: Row[];
  columns: Column<Row>[];
  rowKey: (row: Row) => string;
  rowHeight?: number;
  /** How many there are in all, when more can be fetched; read to screen readers. */
  total?: number;
  sort?: { column: string; direction: "asc" | "desc" };
  onSort?: (column: string) => void;
  /** One function as long as it does the same: rows are drawn again for another. */
  onOpen?: (row: Row) => void;
  selected?: string | null;
  /** Called when the end comes near: fetch the next page. */
  onEnd?: () => void;
  /** Told which rows are drawn, first and last, whenever that changes. */
  onView?: (range: { from: number; to: number }) => void;
  className?: string;
  empty?: ReactNode;
};

/** More than the height of the header. */
const HEADER = 40;

/** A table that draws only the rows in view; it scrolls by itself and fills the height its parent gives it. */
export function VirtualTable<Row>(props: TableProps<Row>) {
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
  const columns = useMemo(
    () => props.columns.filter((column) => !column.from || width >= WIDTH_CLASS[column.from]),
    [props.columns, width],
  );
  const keyOf = useRef(rowKey);
  keyOf.current = rowKey;
  // With another function the virtualizer measures all rows anew, at every step of scrolling.
  const getItemKey = useCallback((index: number) => keyOf.current(rows[index] as Row), [rows]);
  // Who comes back to a list finds it where it was.
  const before = useElementScrollRestoration({ id: label });
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    // Rows start below the header, of which the virtualizer does not know.
    scrollPaddingEnd: HEADER,
    initialOffset: before?.scrollY,
    getItemKey,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (onEnd && rows.length > 0 && last >= rows.length - 60) onEnd();
  }, [onEnd, last, rows.length]);
  const first = items[0]?.index ?? 0;
  useEffect(() => onView?.({ from: first, to: last }), [onView, first, last]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that come in meanwhile must not move what one looks at
  useEffect(() => {
    const index = selected ? rows.findIndex((row) => rowKey(row) === selected) : -1;
    if (index < 0) return;
    virtual.scrollToIndex(index, { align: "auto" });
    // Its link has the focus: Enter opens it, Tab goes on from there, and it is read aloud.
    scroller.current?.querySelector<HTMLElement>("[aria-selected=true] a")?.focus({ preventScroll: true });
  }, [selected]);

  return (
    <div
      ref={scroller}
      data-scroll-restoration-id={label}
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
          style={{ gridTemplateColumns: tracks(columns) }}
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
            <VirtualRow
              key={key}
              row={row}
              index={item.index}
              columns={columns}
              height={rowHeight}
              top={item.start}
              isSelected={selected === undefined ? undefined : key === selected}
              onOpen={onOpen}
            />
          );
        })}
      </div>
    </div>
  );
}
