import { useState } from "react";
import type { Statistics } from "@/api/types";
import { Card } from "@/components/Card";
import { EmptyState } from "@/components/states";
import { utilityColor } from "@/lib/colors";
import { plural } from "@/lib/format";

/** How many memories have which utility, in steps of 0.05. */
export function UtilityHistogram({ memories }: { memories: Statistics["memories"] }) {
  const [hovered, setHovered] = useState<number | null>(null);
  const bins = memories.utility_histogram;
  const highest = Math.max(1, ...bins);
  const total = bins.reduce((sum, count) => sum + count, 0);
  const range = (bin: number) => `${(bin / bins.length).toFixed(2)} to ${((bin + 1) / bins.length).toFixed(2)}`;
  const words = bins.map((count, bin) => (count ? `${range(bin)}: ${count}` : "")).filter(Boolean);
  return (
    <Card
      title="Utility of memories"
      hint={
        hovered === null
          ? "All start at 0.5 and move with the reviews of runs that saw them"
          : `${plural(bins[hovered] ?? 0, "memory", "memories")} from ${range(hovered)}`
      }
    >
      {total === 0 ? (
        <div className="flex h-45 items-center justify-center">
          <EmptyState title="No memories yet">A reviewed run becomes one.</EmptyState>
        </div>
      ) : (
        <div className="flex h-45 flex-col gap-2">
          <div
            role="img"
            aria-label={`Utility of ${plural(total, "memory", "memories")}. ${words.join(", ")}`}
            className="flex flex-1 items-stretch gap-px sm:gap-1"
            onMouseLeave={() => setHovered(null)}
          >
            {bins.map((count, bin) => (
              // biome-ignore lint/a11y/noStaticElementInteractions: pointing only adds words that the label has, too
              <div
                key={bin}
                className="flex flex-1 flex-col justify-end rounded-sm hover:bg-hover"
                onMouseEnter={() => setHovered(bin)}
              >
                <div
                  className="rounded-t-xs"
                  style={{
                    height: count === 0 ? 1 : `max(3px, ${(count / highest) * 100}%)`,
                    background: count === 0 ? "var(--line)" : utilityColor((bin + 0.5) / bins.length),
                  }}
                />
              </div>
            ))}
          </div>
          <div className="flex justify-between text-xs text-faint" aria-hidden>
            <span>0 harmful</span>
            <span>0.5</span>
            <span>helpful 1</span>
          </div>
        </div>
      )}
    </Card>
  );
}
