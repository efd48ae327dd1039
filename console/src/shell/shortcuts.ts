import { useEffect, useRef, useSyncExternalStore } from "react";

export type ShortcutEntry = {
  /** `g t` one after the other, `mod+k` together, `?` as typed. */
  keys: string;
  label: string;
  /** The heading it stands under on the help sheet. */
  group: string;
  run: () => void;
  /** Works while a text field has the focus, too. */
  inFields?: boolean;
};

let registered: ShortcutEntry[] = [];
const listeners = new Set<() => void>();
let pressed: string[] = [];
let forget: ReturnType<typeof setTimeout> | undefined;

function change(next: ShortcutEntry[]): void {
  registered = next;
  for (const listener of listeners) listener();
}

function nameOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key : event.key.toLowerCase();
  return event.metaKey || event.ctrlKey ? `mod+${key.toLowerCase()}` : key;
}

function inField(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  return !!target?.closest("input, textarea, select, [contenteditable=true]");
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  const key = nameOf(event);
  if (["shift", "control", "meta", "alt"].includes(key)) return;
  // A dialog that is open has the keyboard to itself, but for shortcuts that were registered by it (after it opened).
  const modal = document.querySelector("[role=dialog]");
  const typing = inField(event);
  const candidates = registered.filter((entry) => !typing || entry.inFields);
  pressed = [...pressed, key].slice(-2);
  clearTimeout(forget);
  forget = setTimeout(() => {
    pressed = [];
  }, 900);
  const sequence = pressed.join(" ");
  const match =
    candidates.findLast((entry) => entry.keys === sequence) ?? candidates.findLast((entry) => entry.keys === key);
  if (!match || (modal && match.group !== "Dialog" && !match.keys.startsWith("mod+"))) return;
  event.preventDefault();
  pressed = [];
  match.run();
}

/** Called once. */
export function startShortcuts(): void {
  addEventListener("keydown", onKeyDown);
}

/** Registers shortcuts while the caller is mounted. The newest wins where two have the same keys. */
export function useShortcuts(entries: ShortcutEntry[]): void {
  const latest = useRef(entries);
  latest.current = entries;
  const signature = entries.map((entry) => `${entry.keys}\n${entry.label}`).join("\n\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of keys or words needs a new registration
  useEffect(() => {
    const own = latest.current.map((entry, index) => ({ ...entry, run: () => latest.current[index]?.run() }));
    change([...registered, ...own]);
    return () => change(registered.filter((entry) => !own.includes(entry)));
  }, [signature]);
}

export function useRegisteredShortcuts(): ShortcutEntry[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => registered,
  );
}
