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

/** How long ago; the whole date in its title. */
export function Time({ at, className }: { at: string; className?: string }) {
  const present = useSyncExternalStore(subscribe, () => now);
  return (
    <time dateTime={at} title={formatTime(at)} className={className}>
      {formatAge(at, Math.max(present, Date.parse(at)))}
    </time>
  );
}
