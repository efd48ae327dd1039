import { Select } from "./Select";

type Props<Name extends string> = {
  /** `Status`: the choice of no filter reads `Any status`. */
  label: string;
  value: Name | undefined;
  options: Record<Name, string>;
  onChange: (value: Name | undefined) => void;
};

/** Narrows a list by one of a few values, or by none. */
export function FilterSelect<Name extends string>({ label, value, options, onChange }: Props<Name>) {
  const any = { value: "", label: `Any ${label.toLowerCase()}` };
  return (
    <Select
      aria-label={label}
      className="min-w-28 flex-1 sm:w-36 sm:flex-none"
      value={value ?? ""}
      onChange={(event) => onChange((event.target.value || undefined) as Name | undefined)}
      options={[any, ...Object.entries<string>(options).map(([name, words]) => ({ value: name, label: words }))]}
    />
  );
}
