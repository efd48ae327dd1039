import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { BookOpenText, Network, Search } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { statisticsQuery } from "@/api/queries";
import type { Memory } from "@/api/types";
import { usePagedRows } from "@/api/usePagedRows";
import { Button, buttonClasses } from "@/components/Button";
import { SearchField } from "@/components/SearchField";
import { Select } from "@/components/Select";
import { EmptyState, ErrorState, SkeletonRows } from "@/components/states";
import { VirtualTable } from "@/components/VirtualTable";
import { formatCount, plural } from "@/lib/format";
import { useWidthClass } from "@/lib/useMediaQuery";
import { useShortcuts } from "@/shell/shortcuts";
import { memoryColumns } from "./columns";
import type { MemoryFilters, MemoryOrder } from "./filters";
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
  const total = list.isWhole ? list.rows.length : filters.text ? undefined : all?.[filters.status ?? "any"];
  const words =
    total !== undefined ? plural(total, "memory", "memories") : `${formatCount(list.rows.length)}+ memories`;
  return { ...list, total, words: list.data ? words : " " };
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
  const list = useMemoryList(project, filters);
  const columns = useMemo(() => memoryColumns(project), [project]);
  const narrow = useWidthClass() === 0;
  const searchField = useRef<HTMLInputElement>(null);
  const [selected, setSelected] = useState<string | null>(null);
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
  const order = filters.order ?? "created";
  const direction = filters.direction ?? "desc";
  const open = (memory: Memory) =>
    void navigate({ to: "/p/$project/memories/$memory", params: { project, memory: memory.id } });
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
    { keys: "j", label: "Next memory", group: "Memories", run: () => move(1) },
    { keys: "k", label: "Previous memory", group: "Memories", run: () => move(-1) },
    { keys: "o", label: "Open the memory", group: "Memories", run: openSelected },
    { keys: "/", label: "Search", group: "Memories", run: () => searchField.current?.focus() },
  ]);
  const filtered = filters.text || filters.status;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-col gap-3 px-4 pt-5 pb-3 sm:px-6 lg:px-8 lg:pt-7">
        <header className="flex min-h-10 flex-wrap items-start gap-3">
          <div className="min-w-0 flex-1">
            <h1 className="text-xl font-semibold tracking-tight">Memories</h1>
            <p className="mt-0.5 text-muted" aria-live="polite">
              {list.words}
            </p>
          </div>
          <Actions project={project} />
        </header>
        <div className="flex flex-wrap items-center gap-2">
          <SearchField
            ref={searchField}
            label="Search in lessons and tasks"
            placeholder="Search in lessons and tasks"
            value={filters.text ?? ""}
            onChange={(text) => change({ text: text || undefined })}
            className="w-full sm:w-auto sm:max-w-md sm:flex-1"
          />
          <Select
            aria-label="Status"
            className="flex-1 sm:w-36 sm:flex-none"
            value={filters.status ?? ""}
            onChange={(event) => change({ status: (event.target.value || undefined) as MemoryFilters["status"] })}
            options={[
              { value: "", label: "Any status" },
              { value: "active", label: "Active" },
              { value: "disabled", label: "Disabled" },
            ]}
          />
          <Select
            aria-label="Order"
            className="flex-1 sm:w-44 sm:flex-none"
            value={`${order} ${direction}`}
            onChange={(event) => {
              const [by, way] = event.target.value.split(" ");
              change({ order: by as MemoryOrder, direction: way === "asc" ? "asc" : undefined });
            }}
            options={[
              { value: "created desc", label: "Newest first" },
              { value: "created asc", label: "Oldest first" },
              { value: "updated desc", label: "Changed last" },
              { value: "updated asc", label: "Changed first" },
              { value: "utility desc", label: "Highest utility" },
              { value: "utility asc", label: "Lowest utility" },
              { value: "uses desc", label: "Most used" },
              { value: "uses asc", label: "Least used" },
            ]}
          />
        </div>
      </div>
      <div className="mx-4 mb-4 flex min-h-72 flex-1 flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-card sm:mx-6 lg:mx-8 lg:mb-7">
        {list.isError && list.rows.length === 0 ? (
          <ErrorState error={list.error} retry={() => void list.refetch()} />
        ) : list.isPending ? (
          <SkeletonRows rows={12} />
        ) : (
          <VirtualTable
            label="Memories"
            rows={list.rows}
            columns={columns}
            rowKey={(row) => row.id}
            rowHeight={narrow ? 60 : 44}
            total={list.total}
            sort={{ column: order, direction }}
            onSort={(column) =>
              change({
                order: column as MemoryOrder,
                direction: order === column && direction === "desc" ? "asc" : undefined,
              })
            }
            onOpen={open}
            selected={selected}
            onEnd={list.onEnd}
            onView={list.onView}
            empty={
              filtered ? (
                <EmptyState
                  icon={<BookOpenText />}
                  title="No memory matches"
                  action={
                    <Button onClick={() => change({ text: undefined, status: undefined })}>Clear the filters</Button>
                  }
                />
              ) : (
                <EmptyState icon={<BookOpenText />} title="No memories yet">
                  Every reviewed trace teaches one.
                </EmptyState>
              )
            }
          />
        )}
      </div>
    </div>
  );
}
