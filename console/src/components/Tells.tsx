import type { Memory } from "@/api/types";
import { Badge } from "./Badge";

const WORDS: Record<NonNullable<Memory["tells"]>, string> = {
  rule: "a reviewer’s rule",
  fix: "a fix",
  fact: "a fact",
  pitfall: "a pitfall",
  answer: "an answer",
  example: "an example",
  nothing: "tells nothing",
};

/** How much a lesson tells, where its writer said. */
export function Tells({ tells }: { tells: Memory["tells"] }) {
  return tells && <Badge>{WORDS[tells]}</Badge>;
}
