import { Search, X } from "lucide-react";
import { type Ref, useEffect, useState } from "react";
import { classes } from "@/lib/classes";
import { controlClasses } from "./Field";

type Props = {
  label: string;
  value: string;
  /** Called when the typing pauses, and at once by Enter. */
  onChange: (value: string) => void;
  ref?: Ref<HTMLInputElement>;
};

export function SearchField({ label, value, onChange, ref }: Props) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), 350);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <div className="relative w-full min-w-0 sm:w-auto sm:max-w-md sm:flex-1">
      <Search
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-faint"
        aria-hidden
      />
      <input
        ref={ref}
        type="text"
        role="searchbox"
        aria-label={label}
        placeholder={label}
        value={typed}
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onChange(typed);
          if (event.key === "Escape") event.currentTarget.blur();
        }}
        className={classes(controlClasses, "px-8")}
      />
      {typed && (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={() => onChange("")}
          className="absolute top-1/2 right-1.5 -translate-y-1/2 rounded p-1 text-faint hover:text-ink"
        >
          <X className="size-3.5" aria-hidden />
        </button>
      )}
    </div>
  );
}
