import type { Role } from "./steps";

/** The colour of each role's dot in the replay. */
export const ROLE_DOTS: Record<Role, string> = {
  system: "bg-line-strong",
  user: "bg-accent",
  assistant: "bg-pass",
  tool: "bg-warn",
  other: "bg-faint",
};

/** The same as tokens, for the timeline's canvas. */
export const ROLE_TOKENS: Record<Role, string> = {
  system: "line-strong",
  user: "accent",
  assistant: "pass",
  tool: "warn",
  other: "ink-faint",
};
