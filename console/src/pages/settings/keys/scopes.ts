import type { Scope } from "@/api/types";

/** Every scope with what it lets a key do, in the order they are shown. */
export const SCOPES: { scope: Scope; label: string }[] = [
  { scope: "memory:read", label: "Ask for memories and read them" },
  { scope: "memory:write", label: "Edit, disable and delete memories" },
  { scope: "trace:read", label: "Read traces, reviews and figures" },
  { scope: "trace:write", label: "Record traces and review them" },
  { scope: "skill:read", label: "Read the skill" },
  { scope: "skill:write", label: "Create and refine the skill" },
  { scope: "keys:write", label: "Make, list and revoke keys" },
  { scope: "project:write", label: "Read and change settings" },
  { scope: "project:delete", label: "Delete the project" },
];

export type Preset = "agent" | "reviewer" | "reader" | "custom";

export const PRESETS: Record<Exclude<Preset, "custom">, { label: string; scopes: Scope[] }> = {
  agent: { label: "Agent", scopes: ["memory:read", "trace:read", "trace:write"] },
  reviewer: { label: "Reviewer", scopes: ["memory:read", "memory:write", "trace:read", "trace:write", "skill:read"] },
  reader: { label: "Reader", scopes: ["memory:read", "trace:read", "skill:read"] },
};

/** The preset that has exactly these scopes. */
export function presetOf(scopes: Scope[]): Preset {
  const same = (preset: Scope[]) => preset.length === scopes.length && preset.every((scope) => scopes.includes(scope));
  return (Object.keys(PRESETS) as (keyof typeof PRESETS)[]).find((name) => same(PRESETS[name].scopes)) ?? "custom";
}
