import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { markGone, markThere, whenServerReturns } from "./connection";
import { readEventStream } from "./eventStream";
import { endSession, getSession } from "./session";

export type Changed = { traces?: boolean; memories?: boolean; settings?: boolean; queue?: boolean };

/** What has to be fetched again when this part of a project has changed. */
const TOPICS: Record<keyof Changed, string[]> = {
  traces: ["traces", "statistics", "judge"],
  memories: ["memories", "statistics", "skill"],
  settings: ["settings", "keys", "statistics"],
  queue: ["statistics"],
};

function refetchChanged(queries: QueryClient, project: string, changed: Changed): void {
  const topics = new Set<string>();
  for (const part of Object.keys(TOPICS) as (keyof Changed)[]) {
    if (changed[part]) for (const topic of TOPICS[part]) topics.add(topic);
  }
  for (const topic of topics) void queries.invalidateQueries({ queryKey: [project, topic] });
}

type Listening = { project: string; signal: AbortSignal; onChanged: (changed: Changed) => void };

/** Listens once, until the stream ends. True if it was ever open. */
async function listen({ project, signal, onChanged }: Listening): Promise<boolean> {
  const response = await fetch(`/v1/projects/${encodeURIComponent(project)}/events`, {
    headers: { authorization: `Bearer ${getSession()?.api_key}` },
    signal,
  });
  if (response.status === 401) endSession("expired");
  if (!response.ok || !response.body) return false;
  markThere();
  for await (const event of readEventStream(response.body)) {
    if (event.event === "changed") onChanged(JSON.parse(event.data) as Changed);
  }
  return true;
}

/** Waits this long; less if a server that was gone comes back. */
function pauseOrReturn(milliseconds: number): Promise<void> {
  return new Promise((resume) => {
    const done = () => {
      clearTimeout(timer);
      stop();
      resume();
    };
    const timer = setTimeout(done, milliseconds);
    const stop = whenServerReturns(done);
  });
}

/** Keeps what a project's pages show up to date, for as long as the caller is mounted. Reconnects with back-off. */
export function useEvents(project: string, enabled: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!enabled) return;
    const stop = new AbortController();
    const { signal } = stop;
    void (async () => {
      let pause = 500;
      while (!signal.aborted) {
        try {
          const opened = await listen({
            project,
            signal,
            onChanged: (changed) => refetchChanged(queries, project, changed),
          });
          // The server closed a stream that worked (it restarts, say): what changed meanwhile is unknown.
          if (opened) {
            pause = 500;
            void queries.invalidateQueries({ queryKey: [project] });
          }
        } catch {
          if (signal.aborted) return;
          markGone();
        }
        await pauseOrReturn(pause * (0.75 + Math.random() / 2));
        pause = Math.min(pause * 2, 15_000);
      }
    })();
    return () => stop.abort();
  }, [project, enabled, queries]);
}
