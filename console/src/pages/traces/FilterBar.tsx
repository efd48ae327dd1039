import { SlidersHorizontal } from "lucide-react";
import { type RefObject, useState } from "react";
import { Button } from "@/components/Button";
import { SearchField } from "@/components/SearchField";
import { Select } from "@/components/Select";
import { FilterChips } from "./FilterChips";
import { FilterDialog } from "./FilterDialog";
import { RANGES, STATUSES, type TimeRange, type TraceFilters, type TraceStatus } from "./filters";

type Props = {
  filters: TraceFilters;
  onChange: (change: Partial<TraceFilters>) => void;
  searchField: RefObject<HTMLInputElement | null>;
  /** Models that are known from the rows, to pick from. */
  models: string[];
};

function options(any: string, named: Record<string, string>) {
  return [{ value: "", label: any }, ...Object.entries(named).map(([value, label]) => ({ value, label }))];
}

export function FilterBar({ filters, onChange, searchField, models }: Props) {
  const [more, setMore] = useState(false);
  const dates = filters.since || filters.until;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          ref={searchField}
          label="Search in tasks, answers and feedback"
          placeholder="Search in tasks, answers and feedback"
          value={filters.text ?? ""}
          onChange={(text) => onChange({ text: text || undefined })}
          className="w-full sm:w-auto sm:max-w-md sm:flex-1"
        />
        <Select
          aria-label="Status"
          className="min-w-28 flex-1 sm:w-36 sm:flex-none"
          value={filters.status ?? ""}
          onChange={(event) => onChange({ status: (event.target.value || undefined) as TraceStatus | undefined })}
          options={options("Any status", STATUSES)}
        />
        <Select
          aria-label="Result"
          className="min-w-28 flex-1 sm:w-32 sm:flex-none"
          value={filters.result ?? ""}
          onChange={(event) => onChange({ result: (event.target.value || undefined) as TraceFilters["result"] })}
          options={options("Any result", { pass: "Pass", fail: "Fail" })}
        />
        <Select
          aria-label="Time"
          className="min-w-28 flex-1 sm:w-38 sm:flex-none"
          value={dates ? "dates" : (filters.range ?? "")}
          onChange={(event) => {
            if (event.target.value === "dates") setMore(true);
            else
              onChange({
                range: (event.target.value || undefined) as TimeRange | undefined,
                since: undefined,
                until: undefined,
              });
          }}
          options={options("Any time", { ...RANGES, dates: "From … until …" })}
        />
        <Button icon={<SlidersHorizontal aria-hidden />} onClick={() => setMore(true)}>
          Model, metadata
        </Button>
      </div>
      <FilterChips filters={filters} onChange={onChange} />
      <FilterDialog open={more} onOpenChange={setMore} filters={filters} onChange={onChange} models={models} />
    </div>
  );
}
