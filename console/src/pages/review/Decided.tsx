import { Check, Undo2, X } from "lucide-react";
import { IconButton } from "@/components/IconButton";
import { oneLine } from "@/lib/visible";
import type { Decision } from "./progress";

const SHOWN = 30;

/** What was decided last, newest first; each can be taken back. */
export function Decided({ decided, onUndo }: { decided: Decision[]; onUndo: (trace: string) => void }) {
  if (decided.length === 0) return null;
  return (
    <section aria-label="Decided" className="hidden min-h-0 flex-1 flex-col lg:flex">
      <h2 className="mb-1 text-xs font-medium text-faint">Decided</h2>
      <ul className="scroll-quiet min-h-0 flex-1 overflow-y-auto" aria-label="Decided">
        {decided
          .slice(-SHOWN)
          .reverse()
          .map(({ trace_id, task, result }) => (
            <li key={trace_id} className="flex items-center gap-2 border-b border-line text-sm last:border-0">
              {result === "pass" ? (
                <Check className="size-4 shrink-0 text-pass" aria-label="Pass" />
              ) : (
                <X className="size-4 shrink-0 text-fail" aria-label="Fail" />
              )}
              <span className="min-w-0 flex-1 truncate text-muted">{oneLine(task)}</span>
              <IconButton label={`Take back: ${oneLine(task, 60)}`} icon={<Undo2 />} onClick={() => onUndo(trace_id)} />
            </li>
          ))}
      </ul>
    </section>
  );
}
