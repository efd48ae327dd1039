import { useSyncExternalStore } from "react";
import { formatAge, formatTime } from "@/lib/format";

// One clock for all of them: ages move on together, every half minute.
const listeners = new Set<() => void>();
let now = Date.now();
setInterval(() => {
  now = Date.now();
  for (const listener of listeners) listener();
}, 30_000);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The clock moves in steps: what came after its last one is new, not in the future. */
function presentFor(at: string, present: number): number {
  const ahead = Date.parse(at) - present;
  return ahead > 0 && ahead < 60_000 ? Date.parse(at) : present;
}

/** How long ago; the whole date in its title. */
export function Time({ at, className }: { at: string; className?: string }) {
  const present = useSyncExternalStore(subscribe, () => now);
  return (
    <time dateTime={at} title={formatTime(at)} className={className}>
      {formatAge(at, presentFor(at, present))}
    </time>
  );
}
