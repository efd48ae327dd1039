import type { Schema } from "@/api/types";
import { Card } from "@/components/Card";
import { Time } from "@/components/Time";
import { plural } from "@/lib/format";

const points = (share: number): string => plural(Math.round(share * 100), "point");

/** Why queries leave the memory out, and until when. */
export function RetirementCard({ retirement }: { retirement: Schema<"RetirementAnswer"> }) {
  const { worth, deviation, runs, returns_at } = retirement;
  return (
    <Card title="Left out of queries" hint="It is believed to hurt">
      <p className="text-sm text-muted">
        Runs that saw it passed {points(-worth)} less often than was to be expected without it, give or take{" "}
        {points(deviation)}, by {plural(Math.round(runs), "run")}.{" "}
        {returns_at ? (
          <>
            Its evidence ages: it is shown again <Time at={returns_at} />.
          </>
        ) : (
          "Its evidence does not age."
        )}
      </p>
    </Card>
  );
}
