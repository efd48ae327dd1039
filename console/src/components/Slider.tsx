import { Slider as Primitive } from "radix-ui";
import { type ReactNode, useId } from "react";
import { formatFigure } from "@/lib/format";

type Props = {
  label: string;
  /** Label and figure are read aloud only. */
  hideLabel?: boolean;
  value: number;
  onChange: (value: number) => void;
  /** When the hand lets go; for what is costly. */
  onCommit?: (value: number) => void;
  min?: number;
  max?: number;
  step?: number;
  disabled?: boolean;
  hint?: ReactNode;
  format?: (value: number) => string;
};

export function Slider({
  label,
  hideLabel = false,
  value,
  onChange,
  onCommit,
  min = 0,
  max = 1,
  step = 0.05,
  disabled,
  hint,
  format = formatFigure,
}: Props) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div className={hideLabel ? "sr-only" : "flex items-baseline justify-between gap-2 text-sm"}>
        <span id={id} className="font-medium text-ink">
          {label}
        </span>
        <output className="text-muted">{format(value)}</output>
      </div>
      <Primitive.Root
        className="relative flex h-5 w-full touch-none items-center select-none data-disabled:opacity-45"
        disabled={disabled}
        value={[value]}
        min={min}
        max={max}
        step={step}
        onValueChange={([next]) => next !== undefined && onChange(next)}
        onValueCommit={([next]) => next !== undefined && onCommit?.(next)}
      >
        <Primitive.Track className="relative h-1 grow rounded-full bg-line-strong">
          <Primitive.Range className="absolute h-full rounded-full bg-accent" />
        </Primitive.Track>
        <Primitive.Thumb
          aria-labelledby={id}
          aria-valuetext={format(value)}
          className="block size-4 rounded-full border-2 border-accent bg-surface shadow-card"
        />
      </Primitive.Root>
      {hint && <p className="text-xs text-muted">{hint}</p>}
    </div>
  );
}
