import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/shell/lazyPage";
import { projectRoute } from "@/shell/routes";

/** The spans that the overview can show, in days. */
export const SPANS = [7, 30, 90, 365] as const;
export type Span = (typeof SPANS)[number];

export const overviewRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "overview",
  validateSearch: (search: Record<string, unknown>): { days?: Span } => ({
    days: SPANS.find((span) => span === Number(search.days) && span !== 30),
  }),
  component: lazyPage(() => import("./OverviewPage"), "OverviewPage"),
});
