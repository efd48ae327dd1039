import { queryOptions, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { List, Network } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { answer, client } from "@/api/client";
import { Checkbox } from "@/components/Checkbox";
import { SegmentedControl } from "@/components/SegmentedControl";
import { EmptyState, ErrorState, Skeleton } from "@/components/states";
import { utilityColor } from "@/lib/colors";
import { plural } from "@/lib/format";
import { useShortcuts } from "@/shell/shortcuts";
import { MapCanvas } from "./MapCanvas";
import { PickedCard } from "./PickedCard";
import { PointList } from "./PointList";
import type { MapSearch } from "./route";
import { type Point, type View, WHOLE } from "./view";

function mapQuery(project: string) {
  return queryOptions({
    queryKey: [project, "memories", "map"],
    queryFn: ({ signal }) =>
      answer(
        client.GET("/v1/projects/{project_id}/memories/map", { params: { path: { project_id: project } }, signal }),
      ),
  });
}

const round = (value: number, digits: number) => Number(value.toFixed(digits));

/** Where one looks, followed by the address when the hand rests. */
function useMapView(search: MapSearch, change: (next: Partial<MapSearch>) => void) {
  const [view, setView] = useState<View>({ x: search.x ?? 0, y: search.y ?? 0, zoom: search.zoom ?? 1 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the view is written down
  useEffect(() => {
    const timer = setTimeout(() => {
      const whole = view === WHOLE;
      const next = whole ? {} : { x: round(view.x, 4), y: round(view.y, 4), zoom: round(view.zoom, 2) };
      if (next.x !== search.x || next.y !== search.y || next.zoom !== search.zoom)
        change({ x: next.x, y: next.y, zoom: next.zoom });
    }, 400);
    return () => clearTimeout(timer);
  }, [view]);
  return [view, setView] as const;
}

function Legend() {
  const shades = [0, 0.25, 0.5, 0.75, 1];
  return (
    <p className="flex items-center gap-2 text-xs text-muted">
      harms
      <span className="flex gap-1" aria-hidden>
        {shades.map((utility) => (
          <span key={utility} className="size-3 rounded-full" style={{ background: utilityColor(utility) }} />
        ))}
      </span>
      helps; pale ones have no evidence yet
    </p>
  );
}

const NONE: Point[] = [];

export function MapPage() {
  const { project } = useParams({ from: "/p/$project" });
  const search = useSearch({ from: "/p/$project/map" });
  const navigate = useNavigate();
  const map = useQuery(mapQuery(project));
  const change = (next: Partial<MapSearch>) =>
    void navigate({
      to: "/p/$project/map",
      params: { project },
      search: { ...search, ...next },
      replace: true,
      resetScroll: false,
    });
  const [view, setView] = useMapView(search, change);
  const all = map.data?.points ?? NONE;
  const points = useMemo(() => (search.evidence ? all.filter((point) => point.uses > 0) : all), [all, search.evidence]);
  const picked = points.find((point) => point.id === search.memory) ?? null;
  const asList = search.view === "list";
  useShortcuts([
    { keys: "l", label: "Map or list", group: "Map", run: () => change({ view: asList ? undefined : "list" }) },
  ]);
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 px-4 pt-5 pb-4 sm:px-6 lg:px-8 lg:py-7">
      <header className="flex min-h-10 flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-48">
          <h1 className="text-xl font-semibold tracking-tight">Map</h1>
          <p className="mt-0.5 text-muted">
            {map.data ? `${plural(points.length, "memory", "memories")}; alike ones lie near each other` : " "}
          </p>
        </div>
        <SegmentedControl
          label="Map or list"
          value={asList ? "list" : "map"}
          onChange={(next) => change({ view: next === "list" ? "list" : undefined })}
          options={[
            { value: "map", label: <Network aria-hidden />, title: "Map" },
            { value: "list", label: <List aria-hidden />, title: "List" },
          ]}
        />
      </header>
      <div className="flex min-h-6 flex-wrap items-center gap-x-6 gap-y-2">
        <Checkbox
          label="Only with evidence"
          checked={search.evidence === true}
          onChange={(evidence) => change({ evidence: evidence || undefined })}
        />
        {!asList && <Legend />}
      </div>
      <div className="relative flex min-h-72 flex-1 flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-card">
        {map.isError && !map.data ? (
          <ErrorState error={map.error} retry={() => void map.refetch()} />
        ) : map.isPending ? (
          <div role="status" aria-label="Loading" className="flex-1 p-5">
            <Skeleton className="size-full" />
          </div>
        ) : asList ? (
          <PointList project={project} points={points} />
        ) : points.length === 0 ? (
          <EmptyState icon={<Network />} title="No memories to show">
            Every reviewed trace teaches one.
          </EmptyState>
        ) : (
          <>
            <MapCanvas
              points={points}
              view={view}
              onView={setView}
              picked={picked}
              onPick={(point) => change({ memory: point?.id })}
            />
            {picked && (
              <PickedCard
                key={picked.id}
                project={project}
                point={picked}
                onClose={() => change({ memory: undefined })}
              />
            )}
          </>
        )}
      </div>
    </div>
  );
}
