import { createRoute } from "@tanstack/react-router";
import { within } from "@/lib/address";
import { lazyPage } from "@/shell/lazyPage";
import { projectRoute } from "@/shell/routes";

/** Where the map is looked at: its middle, how near, which memory is picked; or the same as a list. */
export type MapSearch = {
  x?: number;
  y?: number;
  zoom?: number;
  memory?: string;
  view?: "list";
  /** Only memories that reviewed runs were shown. */
  evidence?: boolean;
};

export const mapRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "map",
  validateSearch: (search: Record<string, unknown>): MapSearch => ({
    x: within(search.x, -2, 2),
    y: within(search.y, -2, 2),
    zoom: within(search.zoom, 0.5, 200),
    memory: typeof search.memory === "string" ? search.memory : undefined,
    view: search.view === "list" ? "list" : undefined,
    evidence: search.evidence === true ? true : undefined,
  }),
  component: lazyPage(() => import("./MapPage"), "MapPage"),
});
