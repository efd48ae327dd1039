import { useSyncExternalStore } from "react";

/** Whether the server answers. It is asked again with growing pauses until it does. */
let gone = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();
const onReturn = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

export function markGone(): void {
  if (gone) return;
  gone = true;
  tell();
  knock(500);
}

export function markThere(): void {
  if (!gone) return;
  gone = false;
  clearTimeout(timer);
  tell();
  for (const listener of onReturn) listener();
}

function knock(pause: number): void {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    try {
      const answer = await fetch("/health", { cache: "no-store" });
      if (answer.ok) return markThere();
    } catch {
      // Still gone.
    }
    knock(Math.min(pause * 1.6, 8000));
  }, pause);
}

/** Asks at once, for people who do not want to wait for the next attempt. */
export function knockNow(): void {
  if (gone) knock(0);
}

export function whenServerReturns(run: () => void): () => void {
  onReturn.add(run);
  return () => onReturn.delete(run);
}

export function useServerGone(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => gone,
  );
}

/** Settles when the server answers again; at once if it is not gone. */
export function serverReturns(): Promise<void> {
  return new Promise((resolve) => {
    if (!gone) return resolve();
    const stop = whenServerReturns(() => {
      stop();
      resolve();
    });
  });
}
