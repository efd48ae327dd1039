import { Check, CircleAlert, CircleDashed, Hourglass, X } from "lucide-react";
import type { Trace } from "@/api/types";
import { Badge } from "@/components/Badge";

/** How far a trace has come: to be reviewed, waiting for its lesson, passed, failed. */
export function TraceBadge({ trace }: { trace: Trace }) {
  if (trace.ingest_status === "failed")
    return (
      <Badge tone="warn" icon={<CircleAlert aria-hidden />}>
        No lesson
      </Badge>
    );
  if (!trace.review) return <Badge icon={<CircleDashed aria-hidden />}>To review</Badge>;
  const passed = trace.review.result === "pass";
  const waiting = trace.ingest_status !== "completed";
  const icon = waiting ? <Hourglass aria-hidden /> : passed ? <Check aria-hidden /> : <X aria-hidden />;
  return (
    <Badge tone={passed ? "pass" : "fail"} icon={icon}>
      {passed ? "Pass" : "Fail"}
      {waiting && <span className="sr-only">, its lesson is being written</span>}
    </Badge>
  );
}
