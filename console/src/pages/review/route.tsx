import { createRoute } from "@tanstack/react-router";
import { readFilters, type TraceFilters } from "@/pages/traces/filters";
import { lazyPage } from "@/shell/lazyPage";
import { projectRoute } from "@/shell/routes";

/** The filters say which traces are reviewed; `trace` is the one on the table. */
export type ReviewSearch = TraceFilters & { trace?: string };

export const reviewRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "review",
  validateSearch: (search: Record<string, unknown>): ReviewSearch => ({
    ...readFilters(search),
    trace: typeof search.trace === "string" ? search.trace : undefined,
  }),
  component: lazyPage(() => import("./ReviewPage"), "ReviewPage"),
});
