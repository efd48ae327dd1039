import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { client } from "@/api/client";
import { choicesQuery, settingsQuery } from "@/api/queries";
import type { FoundMemory } from "@/api/types";
import type { Match } from "@/lib/match";
import type { MemorySearch } from "./route";

/** What a search found, or why it found nothing. */
type Found = { memories: FoundMemory[]; whyNothing: string | null };

/** Asks as an agent would, and why each memory is where it is. */
export function searchQuery(project: string, search: MemorySearch) {
  const { task, match, lambda, threshold, diversity, limit } = search;
  return queryOptions({
    queryKey: [project, "search", search],
    enabled: !!task,
    // The next search shows a memory that was edited or disabled since as it is then.
    staleTime: 0,
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Found> => {
      const { data, response } = await client.POST("/v1/projects/{project_id}/memory/query", {
        params: { path: { project_id: project } },
        body: {
          task: task ?? "",
          match: match ?? null,
          lambda: lambda ?? null,
          similarity_threshold: threshold ?? null,
          mmr_lambda: diversity === undefined ? null : 1 - diversity,
          limit: limit ?? null,
          explain: true,
        },
        signal,
      });
      const memories = Array.isArray(data) ? data : (data?.memories ?? []);
      return { memories, whyNothing: response.headers.get("X-Reflect-Nothing-Found") };
    },
  });
}

export type SearchDefaults = {
  match: Match;
  lambda: number;
  threshold: number | null;
  diversity: number;
  limit: number;
};

/** What applies where the address says nothing: the project's own, else the server's. */
export function useSearchDefaults(project: string): SearchDefaults {
  const own = useQuery({ ...settingsQuery(project), retry: false }).data;
  const server = useQuery({ ...choicesQuery(project), retry: false }).data?.defaults;
  return {
    match: own?.match ?? server?.match ?? "both",
    lambda: own?.lambda ?? server?.lambda ?? 0.5,
    threshold: own?.similarity_threshold ?? server?.similarity_threshold ?? null,
    diversity: 1 - (own?.mmr_lambda ?? server?.mmr_lambda ?? 0.7),
    limit: server?.limit ?? 10,
  };
}
