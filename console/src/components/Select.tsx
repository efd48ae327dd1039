import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { classes } from "@/lib/classes";
import { controlClasses } from "./Field";

export type Option = { value: string; label: string; disabled?: boolean };

/** The system's own select: it opens well on phones and needs no script. */
export function Select({ options, className, ...rest }: ComponentProps<"select"> & { options: Option[] }) {
  return (
    <span className={classes("relative inline-flex w-full min-w-0", className)}>
      <select className={classes(controlClasses, "appearance-none pr-8")} {...rest}>
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-faint"
        aria-hidden
      />
    </span>
  );
}
