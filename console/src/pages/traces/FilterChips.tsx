import { X } from "lucide-react";
import { visible } from "@/lib/visible";
import type { TraceFilters } from "./filters";

function Chip({ words, onRemove }: { words: string; onRemove: () => void }) {
  return (
    <span className="inline-flex h-6 max-w-72 items-center gap-1 rounded-full bg-accent-soft pr-1 pl-2.5 text-xs font-medium text-accent">
      <span className="truncate">{visible(words)}</span>
      <button
        type="button"
        aria-label={`Remove ${visible(words)}`}
        onClick={onRemove}
        className="rounded-full p-0.5 hover:bg-hover"
      >
        <X className="size-3" aria-hidden />
      </button>
    </span>
  );
}

/** The filters that have no control of their own in the bar. */
export function FilterChips({
  filters,
  onChange,
}: {
  filters: TraceFilters;
  onChange: (change: Partial<TraceFilters>) => void;
}) {
  const { model, metadata = [], since, until, memory } = filters;
  if (!model && metadata.length === 0 && !since && !until && !memory) return null;
  return (
    <div className="flex flex-wrap gap-1.5">
      {model && <Chip words={`model ${model}`} onRemove={() => onChange({ model: undefined })} />}
      {metadata.map((pair) => (
        <Chip
          key={pair}
          words={pair.replace("=", " = ")}
          onRemove={() => onChange({ metadata: metadata.filter((other) => other !== pair) })}
        />
      ))}
      {since && <Chip words={`from ${since}`} onRemove={() => onChange({ since: undefined })} />}
      {until && <Chip words={`until ${until}`} onRemove={() => onChange({ until: undefined })} />}
      {memory && <Chip words={`shown memory …${memory.slice(-8)}`} onRemove={() => onChange({ memory: undefined })} />}
    </div>
  );
}
