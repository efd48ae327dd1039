import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "@/lib/classes";

type Props = {
  column: { id: string; header: ReactNode; align?: "right"; sortable?: boolean };
  sort?: { column: string; direction: "asc" | "desc" };
  onSort?: (column: string) => void;
};

/** The heading of a column; a button where it can be sorted by. */
export function SortHeader({ column, sort, onSort }: Props) {
  const sorted = sort?.column === column.id ? sort.direction : undefined;
  const Arrow = sorted === "asc" ? ArrowUp : ArrowDown;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: its button is
    <div
      role="columnheader"
      aria-sort={sorted && (sorted === "asc" ? "ascending" : "descending")}
      className={classes(
        "flex h-9 min-w-0 items-center px-3 text-xs font-medium text-muted first:pl-5 last:pr-5",
        column.align === "right" && "justify-end",
      )}
    >
      {column.sortable && onSort ? (
        <button
          type="button"
          onClick={() => onSort(column.id)}
          className={classes(
            "inline-flex items-center gap-1 rounded hover:text-ink",
            sorted && "text-ink",
            // The arrow stands where it leaves the words above the figures.
            column.align === "right" && "flex-row-reverse",
          )}
        >
          {column.header}
          <Arrow className={classes("size-3", !sorted && "opacity-0")} aria-hidden />
        </button>
      ) : (
        column.header
      )}
    </div>
  );
}
