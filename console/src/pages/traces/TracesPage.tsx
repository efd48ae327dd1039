import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ListChecks, Rows3 } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { statisticsQuery } from "@/api/queries";
import { useMay } from "@/api/session";
import type { Trace } from "@/api/types";
import { usePagedRows } from "@/api/usePagedRows";
import { Button, buttonClasses } from "@/components/Button";
import { EmptyState, ErrorState, SkeletonRows } from "@/components/states";
import { VirtualTable } from "@/components/VirtualTable";
import { formatCount, plural } from "@/lib/format";
import { useWidthClass } from "@/lib/useMediaQuery";
import { useShortcuts } from "@/shell/shortcuts";
import { traceColumns } from "./columns";
import { FilterBar } from "./FilterBar";
import { hasFilters, type TraceFilters } from "./filters";
import { fetchTraces } from "./queries";

function useTraceList(project: string, filters: TraceFilters) {
  const list = usePagedRows<Trace>({
    project,
    topic: "traces",
    list: [filters],
    fetchPage: (page) => fetchTraces(project, filters, page),
    cursorOf: (trace) => trace.id,
  });
  const filtered = hasFilters(filters);
  const all = useQuery({ ...statisticsQuery(project), enabled: !filtered }).data?.traces.total;
  const total = list.isWhole ? list.rows.length : filtered ? undefined : all;
  const words = total !== undefined ? plural(total, "trace") : `${formatCount(list.rows.length)}+ traces`;
  return { ...list, total, words: list.data ? words : " " };
}

export function TracesPage() {
  const { project } = useParams({ from: "/p/$project" });
  const filters = useSearch({ from: "/p/$project/traces" });
  const navigate = useNavigate();
  const list = useTraceList(project, filters);
  const mayReview = useMay("trace:write");
  const columns = useMemo(() => traceColumns(project), [project]);
  const models = useMemo(() => [...new Set(list.rows.flatMap((row) => row.model ?? []))].sort(), [list.rows]);
  const narrow = useWidthClass() === 0;
  const searchField = useRef<HTMLInputElement>(null);
  const [selected, setSelected] = useState<string | null>(null);

  const change = useCallback(
    (next: Partial<TraceFilters>) =>
      void navigate({ to: "/p/$project/traces", params: { project }, search: { ...filters, ...next }, replace: true }),
    [navigate, project, filters],
  );
  const open = (trace: Trace) =>
    void navigate({ to: "/p/$project/traces/$trace", params: { project, trace: trace.id } });
  const move = (by: number) => {
    const at = list.rows.findIndex((row) => row.id === selected);
    const next = list.rows[at < 0 ? 0 : Math.min(Math.max(at + by, 0), list.rows.length - 1)];
    if (next) setSelected(next.id);
  };
  const openSelected = () => {
    const row = list.rows.find((one) => one.id === selected);
    if (row) open(row);
  };
  useShortcuts([
    { keys: "j", label: "Next trace", group: "Traces", run: () => move(1) },
    { keys: "k", label: "Previous trace", group: "Traces", run: () => move(-1) },
    { keys: "o", label: "Open the trace", group: "Traces", run: openSelected },
    { keys: "/", label: "Search", group: "Traces", run: () => searchField.current?.focus() },
  ]);

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-col gap-3 px-4 pt-5 pb-3 sm:px-6 lg:px-8 lg:pt-7">
        <header className="flex min-h-10 items-start gap-3">
          <div className="min-w-0 flex-1">
            <h1 className="text-xl font-semibold tracking-tight">Traces</h1>
            <p className="mt-0.5 text-muted" aria-live="polite">
              {list.words}
            </p>
          </div>
          {mayReview && (
            <Link
              to="/p/$project/review"
              params={{ project }}
              search={{ ...filters, status: undefined, result: undefined }}
              className={buttonClasses("primary")}
            >
              <ListChecks aria-hidden />
              Review
            </Link>
          )}
        </header>
        <FilterBar filters={filters} onChange={change} searchField={searchField} models={models} />
      </div>
      <div className="mx-4 mb-4 flex min-h-72 flex-1 flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-card sm:mx-6 lg:mx-8 lg:mb-7">
        {list.isError && list.rows.length === 0 ? (
          <ErrorState error={list.error} retry={() => void list.refetch()} />
        ) : list.isPending ? (
          <SkeletonRows rows={12} />
        ) : (
          <VirtualTable
            label="Traces"
            rows={list.rows}
            columns={columns}
            rowKey={(row) => row.id}
            rowHeight={narrow ? 60 : 44}
            total={list.total}
            onOpen={open}
            selected={selected}
            onEnd={list.onEnd}
            onView={list.onView}
            empty={
              hasFilters(filters) ? (
                <EmptyState
                  icon={<Rows3 />}
                  title="No trace matches"
                  action={
                    <Button
                      onClick={() => void navigate({ to: "/p/$project/traces", params: { project }, search: {} })}
                    >
                      Clear the filters
                    </Button>
                  }
                />
              ) : (
                <EmptyState icon={<Rows3 />} title="No traces yet">
                  A trace is one run of your agent. The overview says how to send the first.
                </EmptyState>
              )
            }
          />
        )}
      </div>
    </div>
  );
}
