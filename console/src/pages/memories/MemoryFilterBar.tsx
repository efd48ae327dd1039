import type { RefObject } from "react";
import { FilterSelect } from "@/components/FilterSelect";
import { SearchField } from "@/components/SearchField";
import { Select } from "@/components/Select";
import type { MemoryFilters, MemoryOrder } from "./filters";

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
    <div className="flex flex-wrap items-center gap-2">
      <SearchField
        ref={searchField}
        label="Search in lessons and tasks"
        value={filters.text ?? ""}
        onChange={(text) => onChange({ text: text || undefined })}
      />
      <FilterSelect
        label="Status"
        value={filters.status}
        onChange={(status) => onChange({ status })}
        options={{ active: "Active", disabled: "Disabled" }}
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
    </div>
  );
}
