import type { ReactNode } from "react";
import { useWidthClass } from "@/lib/useMediaQuery";
import { ErrorState, SkeletonRows } from "./states";
import { type TableProps, VirtualTable } from "./VirtualTable";

/** A list that grows as it is scrolled: what `usePagedRows` gives, and what is known of its length. */
type List<Row> = {
  rows: Row[];
  total?: number;
  /** How many there are, in words. */
  words: string;
  error: Error | null;
  isPending: boolean;
  refetch: () => unknown;
  onEnd: () => void;
  onView: (range: { from: number; to: number }) => void;
};

type Props<Row> = Pick<TableProps<Row>, "columns" | "sort" | "onSort" | "onOpen" | "selected" | "empty"> & {
  title: string;
  actions?: ReactNode;
  filters: ReactNode;
  list: List<Row>;
};

const rowKey = (row: { id: string }) => row.id;

/** A page that is one long table. */
export function ListPage<Row extends { id: string }>({ title, actions, filters, list, ...table }: Props<Row>) {
  const isNarrow = useWidthClass() === 0;
  const { rows, total, onEnd, onView } = list;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-col gap-3 px-4 pt-5 pb-3 sm:px-6 lg:px-8 lg:pt-7">
        <header className="flex min-h-10 flex-wrap items-start gap-3">
          <div className="min-w-0 flex-1">
            <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
            <p className="mt-0.5 text-muted" aria-live="polite">
              {list.words}
            </p>
          </div>
          {actions}
        </header>
        {filters}
      </div>
      <div className="mx-4 mb-4 flex min-h-72 flex-1 flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-card sm:mx-6 lg:mx-8 lg:mb-7">
        {list.error && rows.length === 0 ? (
          <ErrorState error={list.error} retry={() => void list.refetch()} />
        ) : list.isPending ? (
          <SkeletonRows rows={12} />
        ) : (
          <VirtualTable
            label={title}
            {...{ ...table, rows, rowKey, total, onEnd, onView }}
            rowHeight={isNarrow ? 60 : 44}
          />
        )}
      </div>
    </div>
  );
}
