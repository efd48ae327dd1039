import { utilityColor } from "@/lib/colors";
import { formatFigure } from "@/lib/format";

/** A utility from 0 to 1 as a bar around its start at 0.5, with the figure beside it. */
export function UtilityBar({ value, uses }: { value: number; uses?: number }) {
  const unknown = uses === 0;
  const from = Math.min(0.5, value) * 100;
  const width = Math.abs(value - 0.5) * 100;
  return (
    <span
      className="inline-flex items-center gap-2"
      title={unknown ? "No run that saw it was reviewed yet" : `utility ${value.toFixed(3)}`}
    >
      <span
        className="relative h-1.5 w-16 overflow-hidden rounded-full bg-sunken ring-1 ring-line ring-inset"
        aria-hidden
      >
        <span
          className="absolute inset-y-0 rounded-full"
          style={{ left: `${from}%`, width: `${Math.max(width, 2)}%`, background: utilityColor(value) }}
        />
        <span className="absolute inset-y-0 left-1/2 w-px bg-line-strong" />
      </span>
      <span className={unknown ? "text-faint" : "text-ink"}>{formatFigure(value)}</span>
    </span>
  );
}
