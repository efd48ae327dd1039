import { Select } from "@/components/Select";
import { MATCH_NAMES, MATCHES, type Match } from "@/lib/match";
import { SettingRow } from "./SettingRow";

type Props = {
  /** The project's own choice; null follows the server. */
  own: Match | null;
  /** The server's, where it is known. */
  server: Match | undefined;
  onChange: (match: Match | null) => void;
};

/** What of a memory queries compare. */
export function MatchSetting({ own, server, onChange }: Props) {
  const effective = own ?? server;
  const servers = server ? `As the server’s, ${MATCHES[server].name.toLowerCase()}` : "As the server’s";
  return (
    <SettingRow label="Compared with" hint="What of a memory the task at hand is compared with.">
      <Select
        aria-label="Compared with"
        value={own ?? ""}
        onChange={(event) => onChange((event.target.value || null) as Match | null)}
        options={[
          { value: "", label: servers },
          ...MATCH_NAMES.map((value) => ({ value, label: MATCHES[value].name })),
        ]}
      />
      {effective && <p className="text-xs text-muted">Of each memory: {MATCHES[effective].words}.</p>}
    </SettingRow>
  );
}
