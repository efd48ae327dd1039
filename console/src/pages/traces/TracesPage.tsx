import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ListChecks, Rows3 } from "lucide-react";
import { useCallback, useMemo, useRef } from "react";
import { statisticsQuery } from "@/api/queries";
import { useMay } from "@/api/session";
import type { Trace } from "@/api/types";
import { usePagedRows } from "@/api/usePagedRows";
import { Button, buttonClasses } from "@/components/Button";
import { ListPage } from "@/components/ListPage";
import { EmptyState } from "@/components/states";
import { formatCount, plural } from "@/lib/format";
import { useKeptFilters } from "@/shell/lastFilters";
import { useSelectedRow } from "@/shell/useSelectedRow";
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
  useKeptFilters(project, "traces", filters);
  const list = useTraceList(project, filters);
  const mayReview = useMay("trace:write");
  const columns = useMemo(() => traceColumns(project), [project]);
  const models = useMemo(() => [...new Set(list.rows.flatMap((row) => row.model ?? []))].sort(), [list.rows]);
  const searchField = useRef<HTMLInputElement>(null);
  const change = useCallback(
    (next: Partial<TraceFilters>) =>
      void navigate({ to: "/p/$project/traces", params: { project }, search: { ...filters, ...next }, replace: true }),
    [navigate, project, filters],
  );
  const open = useCallback(
    (trace: Trace) => void navigate({ to: "/p/$project/traces/$trace", params: { project, trace: trace.id } }),
    [navigate, project],
  );
  const selected = useSelectedRow({ rows: list.rows, noun: "trace", group: "Traces", onOpen: open, searchField });

  return (
    <ListPage
      title="Traces"
      list={list}
      columns={columns}
      onOpen={open}
      selected={selected}
      actions={
        mayReview && (
          <Link
            to="/p/$project/review"
            params={{ project }}
            search={{ ...filters, status: undefined, result: undefined }}
            className={buttonClasses("primary")}
          >
            <ListChecks aria-hidden />
            Review
          </Link>
        )
      }
      filters={<FilterBar filters={filters} onChange={change} searchField={searchField} models={models} />}
      empty={
        hasFilters(filters) ? (
          <EmptyState
            icon={<Rows3 />}
            title="No trace matches"
            action={
              <Button onClick={() => void navigate({ to: "/p/$project/traces", params: { project }, search: {} })}>
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
  );
}
