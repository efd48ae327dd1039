import type { components } from "./schema";

/** A shape of `spec/openapi.json` by its name. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

export type Trace = Schema<"TraceAnswer">;
export type Review = Schema<"ReviewAnswer">;
export type Memory = Schema<"MemoryDetail">;
export type FoundMemory = Schema<"MemoryAnswer">;
export type Credit = Schema<"CreditAnswer">;
export type WrittenBy = Schema<"WrittenByAnswer">;
export type Skill = Schema<"SkillAnswer">;
export type Settings = Schema<"SettingsAnswer">;
export type SettingsChange = Schema<"SettingsRequest">;
export type ApiKey = Schema<"KeyAnswer"> & { expires_at?: string | null };
export type Scope = Schema<"ScopeName">;
export type JudgeReport = Schema<"JudgeReportAnswer">;
export type Ready = Schema<"ReadyAnswer">;
export type Project = Schema<"ProjectAnswer">;
