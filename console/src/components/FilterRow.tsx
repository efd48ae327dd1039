import type { ReactNode, RefObject } from "react";
import { SearchField } from "./SearchField";

type Props = {
  /** What the text is looked for in. */
  label: string;
  filters: { text?: string };
  onChange: (change: { text?: string }) => void;
  searchField: RefObject<HTMLInputElement | null>;
  /** What else the list is narrowed by. */
  children: ReactNode;
};

/** What narrows a list: a text, and what stands beside it. */
export function FilterRow({ label, filters, onChange, searchField, children }: Props) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchField
        ref={searchField}
        label={label}
        value={filters.text ?? ""}
        onChange={(text) => onChange({ text: text || undefined })}
      />
      {children}
    </div>
  );
}
