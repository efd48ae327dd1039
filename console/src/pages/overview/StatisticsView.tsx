import { useMemo } from "react";
import type { Statistics } from "@/api/types";
import { sinceFirstTrace } from "./buckets";
import { Helpers } from "./Helpers";
import { Models } from "./Models";
import { PassRateChart } from "./PassRateChart";
import { QueueHealth } from "./QueueHealth";
import { Tiles } from "./Tiles";
import { TracesPerDay } from "./TracesPerDay";
import { UtilityHistogram } from "./UtilityHistogram";
import { WithAndWithout } from "./WithAndWithout";

/** The figures of a project that has traces. */
export function StatisticsView({
  project,
  statistics,
  days,
}: {
  project: string;
  statistics: Statistics;
  days: number;
}) {
  const drawn = useMemo(() => sinceFirstTrace(statistics.days), [statistics.days]);
  return (
    <div className="flex flex-col gap-4">
      <Tiles project={project} statistics={statistics} days={days} />
      <div className="grid gap-4 lg:grid-cols-3">
        <PassRateChart days={drawn} className="lg:col-span-2" />
        <WithAndWithout
          project={project}
          withMemories={statistics.with_memories}
          without={statistics.without_memories}
        />
      </div>
      <div className="grid gap-4 lg:grid-cols-2">
        <TracesPerDay days={drawn} />
        <UtilityHistogram memories={statistics.memories} />
      </div>
      <div className="grid gap-4 lg:grid-cols-2">
        <Helpers
          project={project}
          title="Top helpers"
          hint="Runs that saw them went best"
          memories={statistics.best}
          empty="No memory has enough reviewed runs behind it yet."
        />
        <Helpers
          project={project}
          title="Worst offenders"
          hint="Runs that saw them went worst: edit or disable them"
          memories={statistics.worst}
          empty="None of the memories with evidence does harm."
        />
      </div>
      <div className="grid gap-4 lg:grid-cols-2">
        <QueueHealth project={project} queue={statistics.queue} />
        <Models project={project} />
      </div>
    </div>
  );
}
