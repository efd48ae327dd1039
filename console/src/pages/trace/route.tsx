import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/shell/lazyPage";
import { projectRoute } from "@/shell/routes";

/** `step` counts from 1; `view` is the half that a narrow screen shows. */
export type TraceSearch = { step?: number; view?: "details" };

export const traceRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "traces/$trace",
  validateSearch: (search: Record<string, unknown>): TraceSearch => ({
    step: Number.isInteger(search.step) && Number(search.step) > 0 ? Number(search.step) : undefined,
    view: search.view === "details" ? "details" : undefined,
  }),
  component: lazyPage(() => import("./TracePage"), "TracePage"),
});
