import { Check, Pencil, Undo2, X } from "lucide-react";
import { useState } from "react";
import { useMay } from "@/api/session";
import type { Review, Trace } from "@/api/types";
import { Badge } from "@/components/Badge";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { ConfirmDialog } from "@/components/ConfirmDialog";
import { Time } from "@/components/Time";
import { Verbatim } from "@/components/Verbatim";
import { useShortcuts } from "@/shell/shortcuts";
import { ReviewDialog } from "./ReviewDialog";
import { useTraceActions } from "./useTraceActions";

const SOURCES: Record<Review["source"], string> = {
  api: "through the API",
  console: "in the console",
  judge: "by the judge",
};

function Given({ review }: { review: Review }) {
  return (
    <div className="flex flex-col gap-2.5">
      <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <Badge tone={review.result}>{review.result === "pass" ? "Pass" : "Fail"}</Badge>
        <span>
          given {SOURCES[review.source]}
          {review.mode === "inline" ? ", with the trace" : ""}, <Time at={review.created_at} />
        </span>
      </p>
      {review.feedback_text ? (
        <blockquote dir="auto" className="border-l-2 border-line-strong pl-3 text-verbatim text-ink">
          <Verbatim text={review.feedback_text} />
        </blockquote>
      ) : (
        <p className="text-sm text-faint">no feedback</p>
      )}
      <p className="text-xs text-faint">
        {review.score === undefined ? "" : `score ${review.score}, `}step size α {review.alpha}
      </p>
    </div>
  );
}

/** The trace's review, who gave it, and what may be done about it. */
export function ReviewCard({ project, trace }: { project: string; trace: Trace }) {
  const mayReview = useMay("trace:write");
  const { review, takeBack } = useTraceActions(project, trace.id);
  const [asking, setAsking] = useState<"pass" | "fail" | null>(null);
  const [confirming, setConfirming] = useState(false);
  const given = trace.review;
  const busy = review.isPending || takeBack.isPending;
  useShortcuts(
    mayReview && !given
      ? [
          { keys: "p", label: "Pass", group: "This trace", run: () => setAsking("pass") },
          { keys: "f", label: "Fail with feedback", group: "This trace", run: () => setAsking("fail") },
        ]
      : [],
  );
  return (
    <Card title="Review">
      <div className="flex flex-col gap-3">
        {given ? <Given review={given} /> : <p className="text-muted">Nobody has reviewed this run yet.</p>}
        {mayReview && (
          <div className="flex flex-wrap gap-2">
            {given ? (
              <>
                <Button
                  size="sm"
                  icon={<Pencil aria-hidden />}
                  busy={review.isPending}
                  disabled={busy}
                  onClick={() => setAsking(given.result === "pass" ? "fail" : "pass")}
                >
                  Correct
                </Button>
                <Button size="sm" icon={<Undo2 aria-hidden />} disabled={busy} onClick={() => setConfirming(true)}>
                  Take back
                </Button>
              </>
            ) : (
              <>
                <Button icon={<Check aria-hidden />} busy={review.isPending} onClick={() => setAsking("pass")}>
                  Pass
                </Button>
                <Button icon={<X aria-hidden />} disabled={busy} onClick={() => setAsking("fail")}>
                  Fail
                </Button>
              </>
            )}
          </div>
        )}
      </div>
      <ReviewDialog
        asking={asking}
        corrects={!!given}
        feedback={given?.feedback_text ?? ""}
        onClose={() => setAsking(null)}
        onGive={(verdict) => {
          setAsking(null);
          review.mutate({ ...verdict, corrects: !!given });
        }}
      />
      <ConfirmDialog
        open={confirming}
        onOpenChange={setConfirming}
        title="Take the review back?"
        action="Take back"
        onConfirm={() => {
          setConfirming(false);
          takeBack.mutate();
        }}
      >
        Its lesson goes, and the utilities of the memories that the run was shown are as if it had never been reviewed.
      </ConfirmDialog>
    </Card>
  );
}
