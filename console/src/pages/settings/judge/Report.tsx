import type { JudgeReport } from "@/api/types";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { classes } from "@/lib/classes";
import { formatCount, formatPercent, plural } from "@/lib/format";
import { wilsonInterval } from "@/lib/statistics";

const VERDICTS = ["pass", "fail", "unknown"] as const;
const REVIEWS = ["pass", "fail"] as const;

function cellTone(verdict: string, review: string): string {
  if (verdict === "unknown") return "bg-sunken";
  return verdict === review ? "bg-pass-soft" : "bg-fail-soft";
}

function ConfusionMatrix({ matrix }: { matrix: JudgeReport["confusion_matrix"] }) {
  return (
    <table className="w-full table-fixed border-separate border-spacing-1 text-center">
      <caption className="sr-only">Verdicts of the judge against the reviews of others</caption>
      <thead>
        <tr className="text-sm text-muted">
          <td />
          {REVIEWS.map((review) => (
            <th key={review} scope="col" className="font-medium">
              others: {review}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {VERDICTS.map((verdict) => (
          <tr key={verdict}>
            <th scope="row" className="pr-2 text-right text-sm font-medium text-muted">
              judge: {verdict}
            </th>
            {REVIEWS.map((review) => (
              <td
                key={review}
                className={classes("h-12 rounded-md text-lg font-semibold text-ink", cellTone(verdict, review))}
              >
                {formatCount(matrix[verdict][review])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Agreement({ report }: { report: JudgeReport }) {
  if (report.agreement == null)
    return <p className="text-muted">No run has both a verdict and a review of someone else yet.</p>;
  const interval = wilsonInterval(Math.round(report.agreement * report.compared), report.compared);
  return (
    <p className="text-muted">
      <span className="mr-2 text-2xl font-semibold text-ink">{formatPercent(report.agreement)}</span>
      agreement on {plural(report.compared, "run")}
      {interval && `, ${formatPercent(interval.low)} to ${formatPercent(interval.high)} at 95 % confidence`}
    </p>
  );
}

/** How the judge has done, held against people. */
export function Report({ report }: { report: JudgeReport }) {
  const figures = [
    ["Decided", report.judged],
    ["Could not tell", report.unknown],
    ["Could not be asked", report.given_up],
    ["Runs without any review", report.pending],
  ] as const;
  return (
    <Card
      title="How it has done"
      hint="Its verdicts against the reviews of others"
      actions={<Badge tone={report.judge === "off" ? "neutral" : "accent"}>{report.judge}</Badge>}
    >
      <div className="flex flex-col gap-5">
        <Agreement report={report} />
        <ConfusionMatrix matrix={report.confusion_matrix} />
        <dl>
          {figures.map(([label, value]) => (
            <div key={label} className="flex justify-between border-t border-line py-2 first:border-0">
              <dt className="text-muted">{label}</dt>
              <dd className="text-ink">{formatCount(value)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Card>
  );
}
