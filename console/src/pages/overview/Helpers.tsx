import { Link } from "@tanstack/react-router";
import type { MemoryStanding } from "@/api/types";
import { Card } from "@/components/Card";
import { UtilityBar } from "@/components/UtilityBar";
import { formatCount } from "@/lib/format";
import { oneLine } from "@/lib/visible";

type Props = { project: string; title: string; hint: string; memories: MemoryStanding[]; empty: string };

/** The built-in reflector's summaries begin with the task, which stands above already. */
function summaryWithoutTask(summary: string): string {
  const rest = summary.replace(/^Asked “[^”]*”,\s*/, "");
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** A few memories with their record, best or worst first. */
export function Helpers({ project, title, hint, memories, empty }: Props) {
  return (
    <Card title={title} hint={hint} flush>
      {memories.length === 0 ? (
        <p className="px-5 pt-2 pb-6 text-muted">{empty}</p>
      ) : (
        <ol className="pb-2">
          {memories.map((memory) => (
            <li key={memory.id} className="border-t border-line first:border-0">
              <Link
                to="/p/$project/memories/$memory"
                params={{ project, memory: memory.id }}
                className="flex flex-col gap-x-4 gap-y-1 px-4 py-2.5 sm:flex-row sm:items-center transition-colors hover:bg-hover focus-visible:outline-offset-[-2px] sm:px-5"
              >
                <span className="w-full min-w-0 flex-1">
                  <span className="block truncate font-medium text-ink">{oneLine(memory.task)}</span>
                  <span className="block truncate text-sm text-muted">
                    {oneLine(summaryWithoutTask(memory.summary))}
                  </span>
                </span>
                <span className="flex shrink-0 items-center gap-3 text-sm sm:block sm:text-right">
                  <UtilityBar value={memory.q_value} uses={memory.uses} />
                  <span className="block text-muted">
                    {formatCount(memory.passes)} passed, {formatCount(memory.fails)} failed
                  </span>
                </span>
              </Link>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
