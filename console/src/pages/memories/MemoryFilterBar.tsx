import type { RefObject } from "react";
import { Chip } from "@/components/Chip";
import { FilterRow } from "@/components/FilterRow";
import { FilterSelect } from "@/components/FilterSelect";
import { Select } from "@/components/Select";
import { type MemoryFilters, type MemoryOrder, STATUSES } from "./filters";

type Props = {
  filters: MemoryFilters;
  onChange: (change: Partial<MemoryFilters>) => void;
  searchField: RefObject<HTMLInputElement | null>;
};

const ORDERS = [
  { value: "created desc", label: "Newest first" },
  { value: "created asc", label: "Oldest first" },
  { value: "updated desc", label: "Changed last" },
  { value: "updated asc", label: "Changed first" },
  { value: "utility desc", label: "Highest utility" },
  { value: "utility asc", label: "Lowest utility" },
  { value: "uses desc", label: "Most used" },
  { value: "uses asc", label: "Least used" },
];

export function MemoryFilterBar({ filters, onChange, searchField }: Props) {
  return (
    <FilterRow label="Search in lessons and tasks" {...{ filters, onChange, searchField }}>
      <FilterSelect
        label="Status"
        value={filters.status}
        onChange={(status) => onChange({ status })}
        options={STATUSES}
      />
      <Select
        aria-label="Order"
        className="flex-1 sm:w-44 sm:flex-none"
        value={`${filters.order ?? "created"} ${filters.direction ?? "desc"}`}
        onChange={(event) => {
          const [by, way] = event.target.value.split(" ");
          onChange({ order: by as MemoryOrder, direction: way === "asc" ? "asc" : undefined });
        }}
        options={ORDERS}
      />
      {filters.same_as && <Chip words="that say the same" onRemove={() => onChange({ same_as: undefined })} />}
    </FilterRow>
  );
}
