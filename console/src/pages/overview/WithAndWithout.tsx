import { useQuery } from "@tanstack/react-query";
import { liftQuery } from "@/api/queries";
import type { Counts } from "@/api/types";
import { Card } from "@/components/Card";
import { Lift } from "./Lift";
import { Rate } from "./Rate";

type Props = { project: string; withMemories: Counts; without: Counts };

/** Runs with memories beside those without: measured where tasks are held out, else what may not be read into it. */
export function WithAndWithout({ project, withMemories, without }: Props) {
  const lift = useQuery(liftQuery(project));
  if (lift.data && (lift.data.holdout > 0 || lift.data.share !== null)) return <Lift report={lift.data} />;
  return (
    <Card title="With and without memories" hint="Reviewed runs of the same time">
      <div className="flex h-full flex-col gap-5">
        <Rate label="Memories shown" counts={withMemories} color="bg-accent" />
        <Rate label="None shown" counts={without} color="bg-faint" />
        <p className="mt-auto rounded-lg bg-sunken px-3 py-2.5 text-sm text-muted">
          The difference alone proves nothing: tasks that have memories are tasks that came before, and may be easier or
          harder than new ones. To know, hold a share of the tasks out, in the settings.
        </p>
      </div>
    </Card>
  );
}
