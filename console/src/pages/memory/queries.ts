import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { client } from "@/api/client";
import { nextCursor, type Rows } from "@/api/pagedRows";
import type { CreditStep } from "@/api/types";
import { fetchTraces } from "@/pages/traces/queries";

const STEPS_A_PAGE = 500;

/** Every step of a memory's utility, newest first. */
export function creditsQuery(project: string, memory: string) {
  return infiniteQueryOptions({
    queryKey: [project, "memories", "credits", memory],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }): Promise<Rows<CreditStep>> => {
      const { data, response } = await client.GET("/v1/projects/{project_id}/memories/{memory_id}/credits", {
        params: {
          path: { project_id: project, memory_id: memory },
          query: { limit: STEPS_A_PAGE, cursor: pageParam },
        },
        signal,
      });
      return { rows: (data ?? []) as CreditStep[], next: nextCursor(response) };
    },
    getNextPageParam: (page) => page.next ?? undefined,
  });
}

/** The newest runs that were shown a memory. */
export function shownInQuery(project: string, memory: string) {
  return queryOptions({
    queryKey: [project, "traces", "shown", memory],
    queryFn: ({ signal }) => fetchTraces(project, { memory }, { limit: 10, signal }),
  });
}
