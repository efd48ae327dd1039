import { SegmentedControl } from "@/components/SegmentedControl";
import { Slider } from "@/components/Slider";
import { formatFigure } from "@/lib/format";
import { SettingRow } from "./SettingRow";

export type NumberSettingProps = {
  label: string;
  hint: string;
  min?: number;
  max?: number;
  step?: number;
  format?: (value: number) => string;
  /** What the lowest and the highest value mean. */
  ends: [string, string];
  /** The project's own value; null follows the server. */
  own: number | null;
  /** The server's: null where the embedder decides, undefined where it is not known. */
  server: number | null | undefined;
  onChange: (value: number | null) => void;
};

function serverWords(server: number | null | undefined, format: (value: number) => string): string {
  if (server === undefined) return "the server’s";
  return server === null ? "the embedder’s" : `the server’s, ${format(server)}`;
}

/** A number that follows the server or is the project's own. */
export function NumberSetting({
  label,
  hint,
  min = 0,
  max = 1,
  step = 0.01,
  format = formatFigure,
  ends,
  own,
  server,
  onChange,
}: NumberSettingProps) {
  const start = server ?? (min < 0 ? 0.4 : 0.5);
  return (
    <SettingRow label={label} hint={hint}>
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <SegmentedControl
          label={`${label}: whose value`}
          value={own === null ? "server" : "own"}
          onChange={(next) => onChange(next === "server" ? null : start)}
          options={[
            { value: "server", label: `As ${serverWords(server, format)}` },
            { value: "own", label: "Own value" },
          ]}
        />
        <span className="text-lg font-semibold text-ink">{own !== null && format(own)}</span>
      </div>
      <div>
        <Slider
          label={label}
          hideLabel
          value={own ?? start}
          min={min}
          max={max}
          step={step}
          format={format}
          onChange={onChange}
          disabled={own === null}
        />
        <div className="flex justify-between text-xs text-faint" aria-hidden>
          <span>{ends[0]}</span>
          <span>{ends[1]}</span>
        </div>
      </div>
    </SettingRow>
  );
}
