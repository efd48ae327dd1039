import type { Schema } from "@/api/types";

/** What of a memory the task at hand is compared with. */
export type Match = Schema<"MatchName">;

export const MATCHES: Record<Match, { name: string; words: string }> = {
  task: { name: "Task", words: "the task that it was learned from" },
  lesson: { name: "Lesson", words: "what its lesson says" },
  both: { name: "Both", words: "its task and its lesson, of which the nearer counts" },
};

export const MATCH_NAMES = Object.keys(MATCHES) as Match[];
