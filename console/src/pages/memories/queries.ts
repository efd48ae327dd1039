import { queryOptions } from "@tanstack/react-query";
import { answer, client } from "@/api/client";
import { nextCursor, type Rows } from "@/api/pagedRows";
import type { Memory } from "@/api/types";
import type { PageRequest } from "@/api/usePagedRows";
import { isDistinct, type MemoryFilters } from "./filters";

/** A page of memories with their records, in the order that was asked for. */
export async function fetchMemories(
  project: string,
  { status, ...filters }: MemoryFilters,
  { cursor, limit, signal }: PageRequest,
): Promise<Rows<Memory>> {
  const which = status === "retired" ? { retired: true } : { status };
  const distinct = isDistinct(filters) || undefined;
  const { data, response } = await client.GET("/v1/projects/{project_id}/memories", {
    params: { path: { project_id: project }, query: { ...filters, ...which, distinct, limit, cursor } },
    signal,
  });
  return { rows: data ?? [], next: nextCursor(response) };
}

/** Every text that a lesson had, newest first. */
export function revisionsQuery(project: string, memory: string) {
  return queryOptions({
    queryKey: [project, "memories", "revisions", memory],
    queryFn: ({ signal }) =>
      answer(
        client.GET("/v1/projects/{project_id}/memories/{memory_id}/revisions", {
          params: { path: { project_id: project, memory_id: memory } },
          signal,
        }),
      ),
  });
}

/** What a query showed, and how each memory stood at that time. */
export function retrievalQuery(project: string, retrieval: string) {
  return queryOptions({
    queryKey: [project, "retrieval", retrieval],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      answer(
        client.GET("/v1/projects/{project_id}/retrievals/{retrieval_id}", {
          params: { path: { project_id: project, retrieval_id: retrieval } },
          signal,
        }),
      ),
  });
}
