import { useEffect, useState } from "react";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { SegmentedControl } from "@/components/SegmentedControl";
import { Slider } from "@/components/Slider";
import { MATCH_NAMES, MATCHES, type Match } from "@/lib/match";
import { useWidthClass, WIDTH_CLASS } from "@/lib/useMediaQuery";
import type { SearchDefaults } from "./queries";
import type { MemorySearch } from "./route";

/** Nothing moved: as the project has it. */
const UNMOVED = { match: undefined, lambda: undefined, threshold: undefined, diversity: undefined, limit: undefined };
type Knob = keyof typeof UNMOVED;
type Props = {
  search: MemorySearch;
  defaults: SearchDefaults;
  /** The floor that applied to the last answer, where the embedder's own does. */
  floor: number | null;
  onChange: (change: Partial<MemorySearch>) => void;
};

/** A slider that follows the hand, and changes the address when it lets go. */
function Follower({
  value,
  onCommit,
  ...rest
}: Omit<Parameters<typeof Slider>[0], "onChange" | "onCommit"> & { onCommit: (value: number) => void }) {
  const [moved, setMoved] = useState<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new value from the address ends the move
  useEffect(() => setMoved(null), [value]);
  return (
    <Slider
      {...rest}
      value={moved ?? value}
      onChange={setMoved}
      onCommit={(next) => {
        if (next !== value) onCommit(next);
      }}
    />
  );
}

function MatchChoice({ match, onChange }: { match: Match; onChange: (match: Match) => void }) {
  return (
    <div className="flex flex-col items-start gap-1.5 text-sm sm:max-lg:col-span-2">
      <span className="font-medium text-ink" aria-hidden>
        Compared with
      </span>
      <SegmentedControl
        label="Compared with"
        value={match}
        onChange={onChange}
        options={MATCH_NAMES.map((value) => ({ value, label: MATCHES[value].name }))}
      />
      <p className="text-xs text-muted">Of each memory: {MATCHES[match].words}.</p>
    </div>
  );
}

const round = (value: number) => Math.round(value * 100) / 100;

export function SearchSliders({ search, defaults, floor, onChange }: Props) {
  const set = (knob: Exclude<Knob, "match">) => (value: number) => onChange({ [knob]: round(value) });
  const changed = (Object.keys(UNMOVED) as Knob[]).some((knob) => search[knob] !== undefined);
  const isWide = useWidthClass() >= WIDTH_CLASS.lg;
  const [isOpen, setOpen] = useState(false);
  const ownFloor = search.threshold === undefined && defaults.threshold === null;
  return (
    <Card
      title="How to rank"
      actions={
        <div className="flex gap-1">
          <Button size="sm" look="ghost" disabled={!changed} onClick={() => onChange(UNMOVED)}>
            Reset
          </Button>
          {!isWide && (
            <Button
              size="sm"
              aria-expanded={isOpen}
              aria-controls={isOpen ? "ranking" : undefined}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? "Hide" : "Change"}
            </Button>
          )}
        </div>
      }
    >
      {(isWide || isOpen) && (
        <div id="ranking" className="grid gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-1">
          <MatchChoice match={search.match ?? defaults.match} onChange={(match) => onChange({ match })} />
          <Follower
            label="Utility against similarity, λ"
            hint="0 is similarity alone, 1 is utility alone."
            value={search.lambda ?? round(defaults.lambda)}
            onCommit={set("lambda")}
          />
          <Follower
            label="Similarity threshold"
            hint={ownFloor ? "Now the embedder's own floor." : "What is less similar is never shown."}
            value={search.threshold ?? round(defaults.threshold ?? floor ?? 0)}
            onCommit={set("threshold")}
          />
          <Follower
            label="Diversity"
            hint="How much nearness to those above costs; 0 is off."
            value={search.diversity ?? round(defaults.diversity)}
            onCommit={set("diversity")}
          />
          <Follower
            label="Limit"
            hint="How many memories at most."
            min={1}
            max={50}
            step={1}
            format={String}
            value={search.limit ?? defaults.limit}
            onCommit={set("limit")}
          />
        </div>
      )}
    </Card>
  );
}
