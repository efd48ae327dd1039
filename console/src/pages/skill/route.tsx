import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/shell/lazyPage";
import { projectRoute } from "@/shell/routes";

export const VIEWS = ["statements", "document", "compare"] as const;
export type SkillView = (typeof VIEWS)[number];
export type SkillSearch = {
  /** Which version is shown; the newest without it. */
  version?: number;
  view?: SkillView;
  /** Which version it is held against; the one before without it. */
  against?: number;
};

function versionNumber(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

export const skillRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "skill",
  validateSearch: (search: Record<string, unknown>): SkillSearch => ({
    version: versionNumber(search.version),
    view: VIEWS.find((view) => view === search.view && view !== "statements"),
    against: versionNumber(search.against),
  }),
  component: lazyPage(() => import("./SkillPage"), "SkillPage"),
});
