import { Chip } from "@/components/Chip";
import type { TraceFilters } from "./filters";

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
