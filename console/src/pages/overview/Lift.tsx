import type { LiftArm, Lift as Report } from "@/api/types";
import { Badge, type Tone } from "@/components/Badge";
import { Card } from "@/components/Card";
import { formatPercent, plural } from "@/lib/format";
import { Rate } from "./Rate";

const VERDICTS: Record<Report["verdict"], { words: string; tone: Tone }> = {
  helps: { words: "memories help", tone: "pass" },
  hurts: { words: "memories hurt", tone: "fail" },
  not_known_yet: { words: "not known yet", tone: "neutral" },
};

const counts = (arm: LiftArm) => ({ passed: arm.passed, failed: arm.reviewed - arm.passed });

/** What is missing of an arm, if anything is. */
function missing(arm: LiftArm): string {
  const parts = [
    [arm.unreviewed, "without a review"],
    [arm.unrecorded, "without a run"],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count} ${words}`)
    .join(", ");
}

/** Whether memories help, by the share of tasks that did without. */
export function Lift({ report }: { report: Report }) {
  const { words, tone } = VERDICTS[report.verdict];
  const { with_memories, without_memories } = report;
  return (
    <Card
      title="Whether memories help"
      hint={`${formatPercent(report.share ?? report.holdout)} of the tasks do without, at random`}
      actions={<Badge tone={report.reviews_depend_on_arm ? "warn" : tone}>{words}</Badge>}
    >
      <div className="flex h-full flex-col gap-5">
        <Rate label="With memories" counts={counts(with_memories)} color="bg-accent" note={missing(with_memories)} />
        <Rate label="Held out" counts={counts(without_memories)} color="bg-faint" note={missing(without_memories)} />
        <p className="mt-auto rounded-lg bg-sunken px-3 py-2.5 text-sm text-muted">
          {report.sentence}
          {report.verdict === "not_known_yet" &&
            report.more_runs_for_ten_points > 0 &&
            ` Ten points would be seen after ${plural(report.more_runs_for_ten_points, "more reviewed run")}.`}
        </p>
      </div>
    </Card>
  );
}
