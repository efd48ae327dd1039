import { createContext, type ReactNode, useContext, useRef, useState } from "react";

const Kept = createContext<Map<string, unknown>>(new Map());

/** Remembers what was unfolded while steps scroll out of view and come back. */
export function KeepState({ children }: { children: ReactNode }) {
  const map = useRef(new Map<string, unknown>());
  return <Kept value={map.current}>{children}</Kept>;
}

/** `useState` that outlives its component for as long as the trace is shown. */
export function useKept<Value>(key: string, initial: Value): [Value, (value: Value) => void] {
  const map = useContext(Kept);
  const [value, setValue] = useState(() => (map.has(key) ? (map.get(key) as Value) : initial));
  return [
    value,
    (next) => {
      map.set(key, next);
      setValue(next);
    },
  ];
}
