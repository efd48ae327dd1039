import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { isStatus } from "@/api/errors";
import { memoryQuery } from "@/api/queries";
import { useMay } from "@/api/session";
import type { Memory, Retrieval, Trace } from "@/api/types";
import { Badge } from "@/components/Badge";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Pinned } from "@/components/Pinned";
import { Prose } from "@/components/Prose";
import { Skeleton } from "@/components/states";
import { UtilityBar } from "@/components/UtilityBar";
import { formatFigure, plural } from "@/lib/format";
import { oneLine } from "@/lib/visible";
import { retrievalQuery } from "@/pages/memories/queries";

type Shown = Retrieval["shown"][number];

/** How this run's review has moved the memory. */
function Outcome({ memory, trace }: { memory: Memory; trace: Trace }) {
  const credit = memory.credits?.find((one) => one.trace_id === trace.id);
  if (credit) {
    const passed = credit.result === "pass";
    return <Badge tone={passed ? "pass" : "fail"}>{passed ? "raised by this run" : "lowered by this run"}</Badge>;
  }
  return trace.review ? null : <Badge>waits for the review</Badge>;
}

/** A memory once it is there; or that it is gone. */
function Found({ project, id, children }: { project: string; id: string; children: (memory: Memory) => ReactNode }) {
  const { data: memory, error } = useQuery(memoryQuery(project, id));
  if (isStatus(error, 404) || isStatus(error, 422))
    return <p className="font-mono text-xs text-muted">{oneLine(id)}, deleted since</p>;
  return memory ? children(memory) : <Skeleton className="h-10 w-full" />;
}

function Words({ project, memory }: { project: string; memory: Memory }) {
  return (
    <Link
      to="/p/$project/memories/$memory"
      params={{ project, memory: memory.id }}
      className="line-clamp-2 text-ink hover:underline"
    >
      <Prose text={oneLine(memory.guidance || memory.summary || memory.task)} />
    </Link>
  );
}

function Row({ project, memory, trace, then }: { project: string; memory: Memory; trace: Trace; then?: Shown }) {
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1">
      <Words project={project} memory={memory} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
        {then && <span>similarity {formatFigure(then.similarity)}</span>}
        <span className="inline-flex items-center gap-1.5">
          utility{then?.q_value != null && ` ${formatFigure(then.q_value)} →`}
          <UtilityBar value={memory.q_value} uses={memory.uses} />
        </span>
        <Outcome memory={memory} trace={trace} />
        {memory.status === "disabled" && <Badge tone="warn">disabled since</Badge>}
        <Pinned pinned={memory.pinned} />
      </div>
    </div>
  );
}

/** What was due and was left out, so that runs without it show what it adds. */
function SatOut({ project, ids }: { project: string; ids: string[] }) {
  return (
    <section className="mt-4 border-t border-line pt-3">
      <h3 className="text-sm text-ink">Sat out</h3>
      <p className="mb-2 text-xs text-muted">
        Due as well, and left out by chance: what runs come to without them shows what they add.
      </p>
      <ul className="flex flex-col gap-1.5 text-sm">
        {ids.map((id) => (
          <li key={id}>
            <Found project={project} id={id}>
              {(memory) => <Words project={project} memory={memory} />}
            </Found>
          </li>
        ))}
      </ul>
    </section>
  );
}

const AT_FIRST = 8;

function List({ project, trace }: { project: string; trace: Trace }) {
  const [whole, setWhole] = useState(false);
  const mayRead = useMay("memory:read");
  const ids = trace.retrieved_memory_ids;
  const retrieval = useQuery({
    ...retrievalQuery(project, trace.retrieval_id ?? ""),
    enabled: mayRead && trace.retrieval_id != null,
    retry: false,
  });
  const listed = whole ? ids.slice(0, 200) : ids.slice(0, AT_FIRST);
  return (
    <>
      {ids.length === 0 && (
        <p className="text-muted">None. Its review teaches a lesson, but says nothing about earlier ones.</p>
      )}
      <ol className="flex flex-col divide-y divide-line">
        {listed.map((id, index) => {
          const then = retrieval.data?.shown.find((one) => one.memory_id === id);
          const rank = then?.rank ?? index + 1;
          return (
            <li key={id} className="flex gap-3 py-2.5 first:pt-0 last:pb-0">
              <span className="w-6 shrink-0 text-right text-sm text-faint" title={`Rank ${rank}`}>
                {rank}
              </span>
              <Found project={project} id={id}>
                {(memory) => <Row project={project} memory={memory} trace={trace} then={then} />}
              </Found>
            </li>
          );
        })}
      </ol>
      {ids.length > AT_FIRST && (
        <Button size="sm" look="ghost" className="mt-2" onClick={() => setWhole(!whole)}>
          {whole ? "Show fewer" : `Show all ${ids.length}`}
        </Button>
      )}
      {(retrieval.data?.sat_out ?? []).length > 0 && <SatOut project={project} ids={retrieval.data?.sat_out ?? []} />}
    </>
  );
}

/** The memories that were in the prompt: rank, similarity, utility then and now, and what became of each. */
export function ShownMemories({ project, trace }: { project: string; trace: Trace }) {
  const mayRead = useMay("memory:read");
  const { length } = trace.retrieved_memory_ids;
  return (
    <Card title="Memories it was shown" hint={length > 0 ? plural(length, "memory", "memories") : undefined}>
      {mayRead || length === 0 ? (
        <List project={project} trace={trace} />
      ) : (
        <p className="text-muted">Your key may not read memories.</p>
      )}
    </Card>
  );
}
