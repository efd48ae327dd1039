import { queryOptions } from "@tanstack/react-query";
import { answer, client } from "@/api/client";
import { nextCursor, type Rows } from "@/api/pagedRows";
import type { Trace } from "@/api/types";
import type { PageRequest } from "@/api/usePagedRows";
import { filterParameters, type TraceFilters } from "./filters";

/** A page of traces without their trajectories, newest first. */
export async function fetchTraces(
  project: string,
  filters: TraceFilters,
  { cursor, limit, signal }: PageRequest,
): Promise<Rows<Trace>> {
  const query = { ...filterParameters(filters), view: "summary", limit, cursor };
  const { data, response } = await client.GET("/v1/projects/{project_id}/traces", {
    params: { path: { project_id: project }, query },
    signal,
  });
  return { rows: data ?? [], next: nextCursor(response) };
}

/** A trace with everything that happened. */
export function traceQuery(project: string, trace: string) {
  return queryOptions({
    queryKey: [project, "traces", "one", trace],
    queryFn: ({ signal }) =>
      answer(
        client.GET("/v1/projects/{project_id}/traces/{trace_id}", {
          params: { path: { project_id: project, trace_id: trace } },
          signal,
        }),
      ),
  });
}
