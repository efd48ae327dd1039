import type { Settings } from "@/api/types";
import { Select } from "@/components/Select";
import { SettingRow } from "./SettingRow";

type Learning = NonNullable<Settings["learning"]>;

const RULES: Record<Learning, string> = {
  worth: "By what they add",
  constant: "By a moving average",
};

type Props = {
  /** The project's own choice; null follows the server. */
  own: Learning | null;
  /** The server's, where it is known. */
  server: Learning | undefined;
  onChange: (learning: Learning | null) => void;
};

/** How memories learn. */
export function LearningSetting({ own, server, onChange }: Props) {
  const servers = server ? `As the server’s, ${RULES[server].toLowerCase()}` : "As the server’s";
  return (
    <SettingRow
      label="How memories learn"
      hint="By what a run gained over what is usual for such tasks, or by how the runs went that saw a memory. Both are kept: a change takes effect at once."
    >
      <Select
        aria-label="How memories learn"
        value={own ?? ""}
        onChange={(event) => onChange((event.target.value || null) as Learning | null)}
        options={[{ value: "", label: servers }, ...Object.entries(RULES).map(([value, label]) => ({ value, label }))]}
      />
    </SettingRow>
  );
}
