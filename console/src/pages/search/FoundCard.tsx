import { Link } from "@tanstack/react-router";
import type { FoundMemory } from "@/api/types";
import { Prose } from "@/components/Prose";
import { utilityColor } from "@/lib/colors";
import { formatFigure, plural } from "@/lib/format";
import { oneLine } from "@/lib/visible";

function Bar({ name, value, color, sign = "" }: { name: string; value: number; color: string; sign?: string }) {
  const share = Math.min(Math.max(value, 0), 1) * 100;
  return (
    <div className="grid grid-cols-[4.5rem_minmax(0,1fr)_2.75rem] items-center gap-2 text-xs">
      <span className="text-muted">{name}</span>
      <span className="h-1.5 overflow-hidden rounded-full bg-sunken ring-1 ring-line ring-inset" aria-hidden>
        <span className="block h-full rounded-full" style={{ width: `${share}%`, background: color }} />
      </span>
      <span className="text-right text-ink">
        {sign}
        {formatFigure(value)}
      </span>
    </div>
  );
}

/** A memory in the answer, and why it is where it is. */
export function FoundCard({ project, memory, rank }: { project: string; memory: FoundMemory; rank: number }) {
  const why = memory.explain;
  const moved = why ? why.similarity_rank - rank : 0;
  return (
    <article className="flex flex-col gap-x-6 gap-y-3 border-b border-line px-4 py-4 last:border-0 sm:px-5 md:flex-row">
      <div className="flex min-w-0 flex-1 gap-3">
        <span className="w-6 shrink-0 text-right text-faint">{rank}</span>
        <div className="flex min-w-0 flex-col gap-1">
          <Link
            to="/p/$project/memories/$memory"
            params={{ project, memory: memory.id }}
            className="line-clamp-3 font-medium text-ink hover:underline"
          >
            <Prose text={oneLine(memory.guidance || memory.summary || memory.reflection, 500)} />
          </Link>
          <p className="line-clamp-2 text-sm text-muted">{oneLine(memory.task)}</p>
          {why && (
            <p className="text-xs text-faint">
              {why.uses > 0
                ? `shown in ${plural(why.uses, "reviewed run")}, ${why.passes} passed`
                : "no run that saw it was reviewed yet"}
              {moved !== 0 && `; by similarity alone it would be number ${why.similarity_rank}`}
            </p>
          )}
        </div>
      </div>
      <div className="flex shrink-0 flex-col gap-1.5 pl-9 md:w-64 md:pl-0">
        <Bar name="similarity" value={memory.similarity} color="var(--accent)" />
        <Bar name="utility" value={memory.q_value} color={utilityColor(memory.q_value)} />
        <Bar
          name="penalty"
          value={why?.mmr_penalty ?? 0}
          color="var(--fail)"
          sign={why && why.mmr_penalty > 0 ? "−" : ""}
        />
        <p className="flex justify-between border-t border-line pt-1.5 text-xs">
          <span className="text-muted">{why && why.mmr_penalty > 0 ? "score, before the penalty" : "score"}</span>
          <span className="font-semibold text-ink">{formatFigure(memory.score)}</span>
        </p>
      </div>
    </article>
  );
}
