import { useSyncExternalStore } from "react";

export type Stored<Value> = {
  get: () => Value;
  change: (next: (value: Value) => Value) => void;
  use: () => Value;
};

/** A value that outlives a reload of this tab, kept in `sessionStorage`. */
export function stored<Value>(name: string, initial: Value): Stored<Value> {
  const listeners = new Set<() => void>();
  let value = initial;
  try {
    const text = sessionStorage.getItem(name);
    if (text) value = JSON.parse(text) as Value;
  } catch {
    // Not ours, or storage is off: start anew.
  }
  const get = () => value;
  return {
    get,
    change: (next) => {
      value = next(value);
      sessionStorage.setItem(name, JSON.stringify(value));
      for (const listener of listeners) listener();
    },
    use: () =>
      useSyncExternalStore((listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      }, get),
  };
}
