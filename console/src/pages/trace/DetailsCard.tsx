import type { Trace } from "@/api/types";
import { Card } from "@/components/Card";
import { CopyButton } from "@/components/CopyButton";
import { JsonView } from "@/components/JsonView";
import { Time } from "@/components/Time";
import { formatTime } from "@/lib/format";
import { visible } from "@/lib/visible";
import { KeepState } from "./kept";
import { LongText } from "./LongText";

function Row({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 py-1.5">
      <dt className="shrink-0 text-sm text-muted">{name}</dt>
      <dd className="min-w-0 truncate text-right">{children}</dd>
    </div>
  );
}

export function DetailsCard({ trace }: { trace: Trace }) {
  return (
    <Card title="Details">
      <dl className="flex flex-col">
        <Row name="Stored">
          <span title={formatTime(trace.created_at)}>
            <Time at={trace.created_at} />
          </span>
        </Row>
        <Row name="Model">{trace.model ? visible(trace.model) : "–"}</Row>
        <Row name="Id">
          <span className="inline-flex max-w-full items-center">
            <span className="truncate font-mono text-xs">{trace.id}</span>
            <CopyButton text={trace.id} what="Copy the id" />
          </span>
        </Row>
      </dl>
      {Object.keys(trace.metadata).length > 0 && (
        <div className="mt-2 border-t border-line pt-3">
          <h3 className="mb-1 text-sm text-muted">Metadata</h3>
          <JsonView value={trace.metadata} />
        </div>
      )}
      {trace.reference_context && (
        <div className="mt-3 border-t border-line pt-3">
          <h3 className="mb-1 text-sm text-muted">Reference for the reflector</h3>
          <KeepState>
            <LongText text={trace.reference_context} id="reference" />
          </KeepState>
        </div>
      )}
    </Card>
  );
}
