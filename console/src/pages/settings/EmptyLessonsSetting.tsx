import { Select } from "@/components/Select";
import { SettingRow } from "./SettingRow";

type Props = {
  /** The project's own choice; null follows the server. */
  own: boolean | null;
  onChange: (shown: boolean | null) => void;
};

const CHOICES = [
  { value: "", label: "After everything that tells more" },
  { value: "true", label: "Like all others" },
];

/** Where lessons that tell little stand. */
export function EmptyLessonsSetting({ own, onChange }: Props) {
  return (
    <SettingRow
      label="Lessons that tell little"
      hint="An example of a run that passed fills what other lessons leave. What tells nothing is shown only to queries that nothing else is there for."
    >
      <Select
        aria-label="Lessons that tell little"
        value={own ? "true" : ""}
        onChange={(event) => onChange(event.target.value ? true : null)}
        options={CHOICES}
      />
    </SettingRow>
  );
}
