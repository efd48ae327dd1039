import { Link } from "@tanstack/react-router";
import type { Statistics } from "@/api/types";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { formatCount, formatDuration, plural } from "@/lib/format";

const OLD_SECONDS = 300;

/** Whether lessons are written as fast as reviews come in. */
export function QueueHealth({ project, queue }: { project: string; queue: Statistics["queue"] }) {
  const behind = queue.waiting > 0 && queue.oldest_seconds > OLD_SECONDS;
  const tone = queue.failed > 0 ? "fail" : behind ? "warn" : "pass";
  const word = queue.failed > 0 ? "needs a look" : behind ? "behind" : "healthy";
  return (
    <Card title="Lessons being written" actions={<Badge tone={tone}>{word}</Badge>}>
      <dl className="flex flex-col">
        <div className="flex justify-between border-b border-line py-2">
          <dt className="text-muted">Waiting</dt>
          <dd className="text-ink">{formatCount(queue.waiting)}</dd>
        </div>
        <div className="flex justify-between border-b border-line py-2">
          <dt className="text-muted">The oldest has waited</dt>
          <dd className="text-ink">{queue.waiting > 0 ? formatDuration(queue.oldest_seconds) : "–"}</dd>
        </div>
        <div className="flex justify-between py-2">
          <dt className="text-muted">Given up</dt>
          <dd>
            {queue.failed > 0 ? (
              <Link
                to="/p/$project/traces"
                params={{ project }}
                search={{ status: "failed" }}
                className="font-medium text-fail underline"
              >
                {plural(queue.failed, "trace")}
              </Link>
            ) : (
              <span className="text-ink">0</span>
            )}
          </dd>
        </div>
      </dl>
    </Card>
  );
}
