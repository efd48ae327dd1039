import { useSyncExternalStore } from "react";

export type Overlay = "palette" | "help" | "drawer" | "project";

let open: Overlay | null = null;
const listeners = new Set<() => void>();

/** Opens one of the shell's overlays; null closes it. */
export function openOverlay(next: Overlay | null): void {
  open = next;
  for (const listener of listeners) listener();
}

export function useOverlay(): Overlay | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
}
