import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { BookOpenText, Network, Search } from "lucide-react";
import { useCallback, useMemo, useRef } from "react";
import { statisticsQuery } from "@/api/queries";
import type { Memory } from "@/api/types";
import { usePagedRows } from "@/api/usePagedRows";
import { Button, buttonClasses } from "@/components/Button";
import { ListPage } from "@/components/ListPage";
import { EmptyState } from "@/components/states";
import { formatCount, plural } from "@/lib/format";
import { useKeptFilters } from "@/shell/lastFilters";
import { useSelectedRow } from "@/shell/useSelectedRow";
import { memoryColumns } from "./columns";
import { isDistinct, type MemoryFilters, type MemoryOrder } from "./filters";
import { MemoryFilterBar } from "./MemoryFilterBar";
import { fetchMemories } from "./queries";

function useMemoryList(project: string, filters: MemoryFilters) {
  const list = usePagedRows<Memory>({
    project,
    topic: "memories",
    list: [filters],
    fetchPage: (page) => fetchMemories(project, filters, page),
  });
  const counts = useQuery(statisticsQuery(project)).data?.memories;
  const all = counts && { active: counts.active, disabled: counts.disabled, any: counts.active + counts.disabled };
  const { status = "any" } = filters;
  const listed = list.rows.reduce((sum, memory) => sum + (memory.runs_alike ?? 1), 0);
  const isAll = isDistinct(filters) && status !== "retired";
  const found = list.isWhole ? listed : isAll ? all?.[status] : undefined;
  const words = found !== undefined ? plural(found, "memory", "memories") : `${formatCount(listed)}+ memories`;
  // One row may stand for several, so how many rows there are is known at the end.
  return { ...list, total: list.isWhole ? list.rows.length : undefined, words: list.data ? words : " " };
}

function Actions({ project }: { project: string }) {
  return (
    <div className="flex gap-2">
      <Link to="/p/$project/search" params={{ project }} className={buttonClasses()}>
        <Search aria-hidden />
        Search
      </Link>
      <Link to="/p/$project/map" params={{ project }} className={buttonClasses()}>
        <Network aria-hidden />
        Map
      </Link>
    </div>
  );
}

export function MemoriesPage() {
  const { project } = useParams({ from: "/p/$project" });
  const filters = useSearch({ from: "/p/$project/memories" });
  const navigate = useNavigate();
  useKeptFilters(project, "memories", filters);
  const list = useMemoryList(project, filters);
  const columns = useMemo(() => memoryColumns(project), [project]);
  const searchField = useRef<HTMLInputElement>(null);
  const change = useCallback(
    (next: Partial<MemoryFilters>) =>
      void navigate({
        to: "/p/$project/memories",
        params: { project },
        search: { ...filters, ...next },
        replace: true,
      }),
    [navigate, project, filters],
  );
  const open = useCallback(
    (memory: Memory) => void navigate({ to: "/p/$project/memories/$memory", params: { project, memory: memory.id } }),
    [navigate, project],
  );
  const selected = useSelectedRow({ rows: list.rows, noun: "memory", group: "Memories", onOpen: open, searchField });
  const { order = "created", direction = "desc" } = filters;
  const sortBy = (column: string) => {
    const turns = order === column && direction === "desc";
    change({ order: column as MemoryOrder, direction: turns ? "asc" : undefined });
  };
  return (
    <ListPage
      title="Memories"
      list={list}
      columns={columns}
      sort={{ column: order, direction }}
      onSort={sortBy}
      onOpen={open}
      selected={selected}
      actions={<Actions project={project} />}
      filters={<MemoryFilterBar filters={filters} onChange={change} searchField={searchField} />}
      empty={
        filters.text || filters.status || filters.same_as ? (
          <EmptyState
            icon={<BookOpenText />}
            title="No memory matches"
            action={
              <Button onClick={() => change({ text: undefined, status: undefined, same_as: undefined })}>
                Clear the filters
              </Button>
            }
          />
        ) : (
          <EmptyState icon={<BookOpenText />} title="No memories yet">
            Every reviewed trace teaches one.
          </EmptyState>
        )
      }
    />
  );
}
