import type { components } from "./schema";

/** A shape of `spec/openapi.json` by its name. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

export type Trace = Schema<"TraceAnswer">;
export type Review = Schema<"ReviewAnswer">;
export type Memory = Schema<"MemoryDetail">;
export type FoundMemory = Schema<"MemoryAnswer">;
export type Credit = Schema<"CreditAnswer">;
/** A step of the whole ledger, which says where it led to. */
export type CreditStep = Credit & { q_value_after: number };
export type WrittenBy = Schema<"WrittenByAnswer">;
export type Skill = Schema<"SkillAnswer">;
export type Settings = Schema<"SettingsAnswer">;
export type SettingsChange = Schema<"SettingsRequest">;
export type ApiKey = Schema<"KeyAnswer">;
export type Scope = Schema<"ScopeName">;
export type JudgeReport = Schema<"JudgeReportAnswer">;
export type Ready = Schema<"ReadyAnswer">;
export type Project = Schema<"ProjectAnswer">;
export type Statistics = Schema<"StatisticsAnswer">;
export type Lift = Schema<"LiftAnswer">;
export type LiftArm = Schema<"LiftArmAnswer">;
export type DayStatistics = Schema<"DayAnswer">;
export type Counts = Schema<"ResultsAnswer">;
export type MemoryStanding = Schema<"NamedMemoryAnswer">;
export type MemoryMap = Schema<"MemoryMapAnswer">;
export type Retrieval = Schema<"RetrievalAnswer">;
export type SettingsChoices = Schema<"SettingChoicesAnswer">;
