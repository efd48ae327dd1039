import { createRoute } from "@tanstack/react-router";
import { oneOf, within, word } from "@/lib/address";
import { MATCHES, type Match } from "@/lib/match";
import { lazyPage } from "@/shell/lazyPage";
import { projectRoute } from "@/shell/routes";

/** What is asked. What is absent is as the project has it. */
export type MemorySearch = {
  task?: string;
  match?: Match;
  lambda?: number;
  threshold?: number;
  /** 1 − `mmr_lambda`: 0 is off. */
  diversity?: number;
  limit?: number;
};

export const searchRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "search",
  validateSearch: (search: Record<string, unknown>): MemorySearch => ({
    task: word(search.task),
    match: oneOf(search.match, MATCHES),
    lambda: within(search.lambda, 0, 1),
    threshold: within(search.threshold, -1, 1),
    diversity: within(search.diversity, 0, 1),
    limit: Number.isInteger(search.limit) ? within(search.limit, 1, 100) : undefined,
  }),
  component: lazyPage(() => import("./SearchPage"), "SearchPage"),
});
