import { CloudUpload } from "lucide-react";
import { Badge } from "@/components/Badge";
import { formatCount } from "@/lib/format";

type Props = { done: number; left: number; more: boolean; deferred: number; unsent: number; onRecall: () => void };

/** How far the reviewer has come, and whether everything has arrived. */
export function ReviewProgress({ done, left, more, deferred, unsent, onRecall }: Props) {
  const all = done + left;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex min-h-6 flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted">
        <span aria-live="polite">
          <strong className="font-semibold text-ink">{formatCount(done)}</strong> reviewed,{" "}
          <strong className="font-semibold text-ink">
            {formatCount(left)}
            {more && "+"}
          </strong>{" "}
          left
        </span>
        {deferred > 0 && (
          <span>
            {formatCount(deferred)} deferred,{" "}
            <button type="button" className="rounded text-accent underline" onClick={onRecall}>
              bring back
            </button>
          </span>
        )}
        {unsent > 0 && (
          <span role="status">
            <Badge tone="warn" icon={<CloudUpload aria-hidden />}>
              {formatCount(unsent)} not sent yet
            </Badge>
          </span>
        )}
      </div>
      <div
        role="progressbar"
        aria-label="Reviewed"
        aria-valuemin={0}
        aria-valuemax={all}
        aria-valuenow={done}
        className="h-1 overflow-hidden rounded-full bg-line"
      >
        <div
          className="h-full rounded-full bg-accent transition-[width]"
          style={{ width: `${all > 0 ? (done / all) * 100 : 0}%` }}
        />
      </div>
    </div>
  );
}
