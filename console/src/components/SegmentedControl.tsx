import { ToggleGroup } from "radix-ui";
import type { ReactNode } from "react";

type Props<Value extends string> = {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: { value: Value; label: ReactNode; title?: string }[];
};

/** One of a few, all in view. */
export function SegmentedControl<Value extends string>({ label, value, onChange, options }: Props<Value>) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={(next) => next && onChange(next as Value)}
      className="inline-flex shrink-0 rounded-lg border border-line bg-sunken p-0.5"
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          aria-label={option.title}
          className="inline-flex h-7 min-w-8 items-center justify-center gap-1.5 rounded-md px-2.5 text-sm font-medium text-muted transition-colors hover:text-ink data-[state=on]:bg-raised data-[state=on]:text-ink data-[state=on]:shadow-card [&_svg]:size-4"
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
