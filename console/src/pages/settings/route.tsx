import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/shell/lazyPage";
import { projectRoute } from "@/shell/routes";

export const SECTIONS = ["keys", "ranking", "models", "judge", "danger"] as const;
export type SettingsSection = (typeof SECTIONS)[number];

export const settingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "settings",
  validateSearch: (search: Record<string, unknown>): { section?: SettingsSection } => ({
    section: SECTIONS.find((section) => section === search.section),
  }),
  component: lazyPage(() => import("./SettingsPage"), "SettingsPage"),
});
