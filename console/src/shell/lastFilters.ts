import { useEffect } from "react";
import type { MemoryFilters } from "@/pages/memories/filters";
import type { TraceFilters } from "@/pages/traces/filters";

type Filters = { traces: TraceFilters; memories: MemoryFilters };

const last = new Map<string, TraceFilters | MemoryFilters>();

/** Keeps how a list was narrowed, for the way back to it from one of its rows. */
export function useKeptFilters<List extends keyof Filters>(project: string, list: List, filters: Filters[List]): void {
  useEffect(() => {
    last.set(`${list} of ${project}`, filters);
  }, [project, list, filters]);
}

export function lastFilters<List extends keyof Filters>(project: string, list: List): Filters[List] {
  return (last.get(`${list} of ${project}`) ?? {}) as Filters[List];
}
