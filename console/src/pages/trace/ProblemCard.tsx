import { RotateCw, TriangleAlert } from "lucide-react";
import { useMay } from "@/api/session";
import type { Trace } from "@/api/types";
import { Button } from "@/components/Button";
import { Prose } from "@/components/Prose";
import { Verbatim } from "@/components/Verbatim";
import { plural } from "@/lib/format";
import { useTraceActions } from "./useTraceActions";

/** Why there is no lesson, with a way to try again; and what looked wrong when the trace came in. */
export function ProblemCard({ project, trace }: { project: string; trace: Trace }) {
  const mayRetry = useMay("trace:write");
  const { retry } = useTraceActions(project, trace.id);
  const failed = trace.ingest_status === "failed";
  if (!failed && !trace.last_ingest_error && trace.warnings.length === 0) return null;
  return (
    <section aria-label="Problems" className="flex flex-col gap-2 rounded-xl border border-warn bg-warn-soft p-4">
      {(failed || trace.last_ingest_error) && (
        <>
          <p className="flex items-center gap-2 font-medium text-warn">
            <TriangleAlert className="size-4 shrink-0" aria-hidden />
            {failed
              ? `No lesson after ${plural(trace.ingest_attempts, "attempt")}`
              : `Attempt ${trace.ingest_attempts} at its lesson failed; it is tried again`}
          </p>
          {trace.last_ingest_error && (
            <p className="text-verbatim text-ink">
              <Prose text={trace.last_ingest_error} />
            </p>
          )}
          {failed && mayRetry && (
            <Button
              size="sm"
              className="self-start"
              icon={<RotateCw aria-hidden />}
              busy={retry.isPending}
              onClick={() => retry.mutate()}
            >
              Try again
            </Button>
          )}
        </>
      )}
      {trace.warnings.map((warning) => (
        <p key={warning} className="flex gap-2 text-verbatim text-ink">
          <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
          <span>
            <Verbatim text={warning} />
          </span>
        </p>
      ))}
    </section>
  );
}
