import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "@/api/session";
import type { CreditStep, Memory } from "@/api/types";
import { Badge } from "@/components/Badge";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { ErrorState, Skeleton } from "@/components/states";
import { Table, TableCell, TableHead, TableRow } from "@/components/Table";
import { Time } from "@/components/Time";
import { UtilityBar } from "@/components/UtilityBar";
import { formatFigure, plural } from "@/lib/format";
import { creditsQuery } from "./queries";
import { Reporter } from "./Reporter";
import { UtilityChart } from "./UtilityChart";

const AT_FIRST = 8;

function Step({ project, step, before }: { project: string; step: CreditStep; before: number | undefined }) {
  const passed = step.result === "pass";
  const moved = before === undefined ? undefined : step.q_value_after - before;
  return (
    <TableRow>
      <TableCell>
        <Badge tone={passed ? "pass" : "fail"}>{passed ? "Pass" : "Fail"}</Badge>
      </TableCell>
      <TableCell className="whitespace-nowrap">
        {formatFigure(step.q_value_after)}
        {moved !== undefined && (
          <span className={moved < 0 ? "text-fail" : "text-pass"}>
            {" "}
            ({moved < 0 ? "−" : "+"}
            {formatFigure(Math.abs(moved))})
          </span>
        )}
      </TableCell>
      <TableCell className="max-sm:hidden">{step.memory_revision}</TableCell>
      <TableCell className="max-sm:hidden">
        <Reporter project={project} step={step} />
      </TableCell>
      <TableCell className="whitespace-nowrap text-muted">
        <Time at={step.created_at} />
      </TableCell>
      <TableCell className="text-right">
        <Link
          to="/p/$project/traces/$trace"
          params={{ project, trace: step.trace_id }}
          search={{ view: "details" }}
          className="text-accent hover:underline"
        >
          Review
        </Link>
      </TableCell>
    </TableRow>
  );
}

function Steps({ project, steps, isWhole }: { project: string; steps: CreditStep[]; isWhole: boolean }) {
  const [count, setCount] = useState(AT_FIRST);
  return (
    <>
      <Table label="Steps of its utility">
        <thead>
          <tr>
            <TableHead>Review</TableHead>
            <TableHead>Utility</TableHead>
            <TableHead className="max-sm:hidden">Revision</TableHead>
            <TableHead className="max-sm:hidden">Brought by</TableHead>
            <TableHead>When</TableHead>
            <TableHead className="text-right">
              <span className="sr-only">Link</span>
            </TableHead>
          </tr>
        </thead>
        <tbody>
          {steps.slice(0, count).map((step, index) => (
            <Step
              key={step.review_id}
              project={project}
              step={step}
              before={steps[index + 1]?.q_value_after ?? (isWhole ? 0.5 : undefined)}
            />
          ))}
        </tbody>
      </Table>
      {steps.length > count && (
        <div className="px-4 py-2">
          <Button size="sm" look="ghost" onClick={() => setCount(count + 50)}>
            {steps.length - count} more
          </Button>
        </div>
      )}
    </>
  );
}

/** The memory's utility over time, each step with the review behind it. */
export function UtilityCard({ project, memory }: { project: string; memory: Memory }) {
  const mayReadTraces = useMay("trace:read");
  const credits = useInfiniteQuery(creditsQuery(project, memory.id));
  const steps = credits.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <Card
      flush
      title="Utility"
      hint={`Shown in ${plural(memory.uses, "reviewed run")}: ${memory.passes} passed, ${memory.fails} failed`}
      actions={<UtilityBar value={memory.q_value} uses={memory.uses} />}
    >
      {credits.isPending ? (
        <div className="p-5">
          <Skeleton className="h-44 w-full" />
        </div>
      ) : credits.isError ? (
        <ErrorState error={credits.error} retry={() => void credits.refetch()} />
      ) : steps.length === 0 ? (
        <p className="px-5 pb-5 text-muted">
          No run that saw it was reviewed yet: it stands where every memory starts, at 0.50.
        </p>
      ) : (
        <>
          <div className="px-3 pb-2">
            <UtilityChart steps={steps} isWhole={!credits.hasNextPage} />
          </div>
          {mayReadTraces && <Steps project={project} steps={steps} isWhole={!credits.hasNextPage} />}
          {credits.hasNextPage && (
            <div className="px-4 py-2">
              <Button
                size="sm"
                look="ghost"
                busy={credits.isFetchingNextPage}
                onClick={() => void credits.fetchNextPage()}
              >
                Fetch earlier steps
              </Button>
            </div>
          )}
        </>
      )}
    </Card>
  );
}
