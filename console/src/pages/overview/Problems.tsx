import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { readyQuery } from "@/api/queries";
import type { Schema } from "@/api/types";
import { useSettings } from "@/api/useSettings";
import { Prose } from "@/components/Prose";
import { Time } from "@/components/Time";

type Problem = Schema<"ProblemAnswer">;

const TITLES: Record<string, string> = {
  store: "The store has a problem",
  embedder: "The embedder does not answer",
  reflector: "Lessons are not written",
  model: "A model does not answer",
  switch: "Memories cannot be embedded",
};

/** What is wrong with the server or this project, loudly, in the words of those who know. */
export function Problems({ project }: { project: string }) {
  const ready = useQuery(readyQuery).data;
  const change = useSettings(project).data?.embedder_switch;
  const problems: Problem[] = [...(ready?.problems ?? [])];
  if (change?.problem) problems.push({ part: "switch", problem: `${change.to}: ${change.problem}`, since: null });
  if (ready?.worker === "stopped")
    problems.push({ part: "worker", problem: "No lessons are written: the worker has stopped." });
  if (problems.length === 0) return null;
  return (
    <div role="alert" className="flex flex-col gap-3">
      {problems.map(({ part, problem, said, since }) => (
        <div key={part + problem} className="flex gap-3 rounded-xl border border-fail bg-fail-soft px-4 py-3">
          <TriangleAlert className="mt-0.5 size-4.5 shrink-0 text-fail" aria-hidden />
          <div className="min-w-0">
            <p className="font-semibold text-fail">
              {TITLES[part] ?? "Something is wrong"}
              {since && (
                <span className="font-normal">
                  , since <Time at={since} />
                </span>
              )}
            </p>
            <p className="text-verbatim text-ink">
              <Prose text={problem} />
            </p>
            {said && (
              <blockquote className="mt-1 border-l-2 border-fail pl-3 text-verbatim text-ink">
                <Prose text={said} />
              </blockquote>
            )}
          </div>
        </div>
      ))}
    </div>
  );
}
