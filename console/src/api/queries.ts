import { QueryClient, queryOptions } from "@tanstack/react-query";
import { answer, client } from "./client";
import { whenServerReturns } from "./connection";
import { ApiError, ServerGone } from "./errors";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Live updates say when something has changed; without them half a minute is fresh enough.
      staleTime: 30_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ServerGone) && !(error instanceof ApiError && error.status < 500),
    },
  },
});
whenServerReturns(() => void queryClient.invalidateQueries());

/**
 * Keys are `[project, topic, …]`, so that an event invalidates `[project, topic]` and nothing else.
 * Topics: `traces`, `memories`, `settings`, `statistics`, `skill`, `keys`, `judge`.
 */
export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: ({ signal }) => answer(client.GET("/v1/projects", { signal })),
});

export const readyQuery = queryOptions({
  queryKey: ["ready"],
  // A server that is not ready answers 503 with the same shape.
  queryFn: async ({ signal }) => {
    const { data, error } = await client.GET("/ready", { signal });
    return data ?? error;
  },
  refetchInterval: 15_000,
});

export function statisticsQuery(project: string, days = 30) {
  return queryOptions({
    queryKey: [project, "statistics", days],
    queryFn: ({ signal }) =>
      answer(
        client.GET("/v1/projects/{project_id}/statistics", {
          params: { path: { project_id: project }, query: { days } },
          signal,
        }),
      ),
  });
}

export function liftQuery(project: string) {
  return queryOptions({
    queryKey: [project, "statistics", "lift"],
    queryFn: ({ signal }) =>
      answer(client.GET("/v1/projects/{project_id}/lift", { params: { path: { project_id: project } }, signal })),
  });
}

export function memoryQuery(project: string, memory: string) {
  return queryOptions({
    queryKey: [project, "memories", "one", memory],
    queryFn: ({ signal }) =>
      answer(
        client.GET("/v1/projects/{project_id}/memories/{memory_id}", {
          params: { path: { project_id: project, memory_id: memory } },
          signal,
        }),
      ),
  });
}

export function settingsQuery(project: string) {
  return queryOptions({
    queryKey: [project, "settings"],
    queryFn: ({ signal }) =>
      answer(client.GET("/v1/projects/{project_id}/settings", { params: { path: { project_id: project } }, signal })),
  });
}

export function choicesQuery(project: string) {
  return queryOptions({
    queryKey: [project, "choices"],
    queryFn: ({ signal }) =>
      answer(
        client.GET("/v1/projects/{project_id}/settings/choices", { params: { path: { project_id: project } }, signal }),
      ),
    staleTime: 300_000,
  });
}
