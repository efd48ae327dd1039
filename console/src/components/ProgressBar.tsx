import { Progress } from "radix-ui";

export function ProgressBar({ label, value, total }: { label: string; value: number; total: number }) {
  const share = total === 0 ? 1 : value / total;
  return (
    <Progress.Root
      aria-label={label}
      value={Math.round(share * 100)}
      className="h-2 overflow-hidden rounded-full bg-line"
    >
      <Progress.Indicator
        className="h-full rounded-full bg-accent transition-[width] duration-300"
        style={{ width: `${share * 100}%` }}
      />
    </Progress.Root>
  );
}
