/** Shapes of endpoints that `spec/openapi.json` does not describe yet; each goes when it does. */

import type { Schema } from "./types";

export type Counts = { passed: number; failed: number };
export type DayStatistics = Counts & { day: string; traces: number };
export type MemoryStanding = {
  id: string;
  task: string;
  summary: string;
  q_value: number;
  uses: number;
  passes: number;
  fails: number;
};
export type Statistics = {
  days: DayStatistics[];
  traces: Counts & { total: number; pending: number };
  with_memories: Counts;
  without_memories: Counts;
  queue: { waiting: number; failed: number; oldest_seconds: number };
  memories: { active: number; disabled: number; with_evidence: number; utility_histogram: number[] };
  best: MemoryStanding[];
  worst: MemoryStanding[];
};
export type MemoryMap = {
  points: { id: string; x: number; y: number; q_value: number; uses: number; task: string }[];
  total: number;
  made_at: string;
};
export type Retrieval = {
  id: string;
  created_at: string;
  task: string | null;
  limit: number;
  lambda: number;
  similarity_threshold: number | null;
  shown: { memory_id: string; rank: number; similarity: number; score: number; q_value: number | null }[];
};
export type CreditStep = Schema<"CreditAnswer"> & { q_value_after: number };
export type Revision = Pick<
  Schema<"MemoryDetail">,
  | "revision"
  | "summary"
  | "key_mistake"
  | "correct_action"
  | "guidance"
  | "applicable_tools"
  | "written_by"
  | "created_at"
>;
export type SettingsChoices = {
  embedders: string[];
  reflectors: string[];
  judges: string[];
  defaults: {
    lambda: number;
    mmr_lambda: number;
    similarity_threshold: number | null;
    alpha: number;
    limit: number;
    reflector: string;
    judge: string;
    embedder: string;
  };
};
export type SignedIn = {
  api_key: string;
  expires_at: string;
  project_id: string | null;
  scopes: string[];
  is_master: boolean;
};

type Get<Answer, Path = { project_id: string }, Query = never> = {
  get: {
    parameters: { path: Path; query?: Query };
    responses: { 200: { content: { "application/json": Answer } } };
  };
};
type OneMemory = { project_id: string; memory_id: string };
type InProject<Rest extends string> = `/v1/projects/{project_id}/${Rest}`;

export type UpcomingPaths = {
  [path in InProject<"statistics">]: Get<Statistics, { project_id: string }, { days?: number }>;
} & {
  [path in InProject<"memories/map">]: Get<MemoryMap>;
} & {
  [path in InProject<"retrievals/{retrieval_id}">]: Get<Retrieval, { project_id: string; retrieval_id: string }>;
} & {
  [path in InProject<"memories/{memory_id}/credits">]: Get<
    CreditStep[],
    OneMemory,
    { limit?: number; cursor?: string }
  >;
} & {
  [path in InProject<"memories/{memory_id}/revisions">]: Get<Revision[], OneMemory>;
} & {
  [path in InProject<"settings/choices">]: Get<SettingsChoices>;
} & {
  "/v1/sign-in": {
    post: {
      parameters: { header?: { authorization?: string } };
      requestBody: { content: { "application/json": { code?: string } } };
      responses: { 200: { content: { "application/json": SignedIn } } };
    };
  };
};
