import { SlidersHorizontal } from "lucide-react";
import { type RefObject, useState } from "react";
import { Button } from "@/components/Button";
import { FilterRow } from "@/components/FilterRow";
import { FilterSelect } from "@/components/FilterSelect";
import { FilterChips } from "./FilterChips";
import { FilterDialog } from "./FilterDialog";
import { RANGES, STATUSES, type TraceFilters } from "./filters";

type Props = {
  filters: TraceFilters;
  onChange: (change: Partial<TraceFilters>) => void;
  searchField: RefObject<HTMLInputElement | null>;
  /** Models that are known from the rows, to pick from. */
  models: string[];
};

export function FilterBar({ filters, onChange, searchField, models }: Props) {
  const [more, setMore] = useState(false);
  const dates = filters.since || filters.until;
  return (
    <div className="flex flex-col gap-2">
      <FilterRow label="Search in tasks, answers and feedback" {...{ filters, onChange, searchField }}>
        <FilterSelect
          label="Status"
          value={filters.status}
          onChange={(status) => onChange({ status })}
          options={STATUSES}
        />
        <FilterSelect
          label="Result"
          value={filters.result}
          onChange={(result) => onChange({ result })}
          options={{ pass: "Pass", fail: "Fail" }}
        />
        <FilterSelect
          label="Time"
          value={dates ? "dates" : filters.range}
          onChange={(range) =>
            range === "dates" ? setMore(true) : onChange({ range, since: undefined, until: undefined })
          }
          options={{ ...RANGES, dates: "From … until …" }}
        />
        <Button icon={<SlidersHorizontal aria-hidden />} onClick={() => setMore(true)}>
          Model, metadata
        </Button>
      </FilterRow>
      <FilterChips filters={filters} onChange={onChange} />
      <FilterDialog open={more} onOpenChange={setMore} filters={filters} onChange={onChange} models={models} />
    </div>
  );
}
