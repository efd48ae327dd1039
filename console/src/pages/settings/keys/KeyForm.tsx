import { useEffect, useState } from "react";
import { mayUse, useSession } from "@/api/session";
import type { Scope } from "@/api/types";
import { Checkbox } from "@/components/Checkbox";
import { Field, Input } from "@/components/Field";
import { SegmentedControl } from "@/components/SegmentedControl";
import { Select } from "@/components/Select";
import { EXPIRIES } from "./expiry";
import { PRESETS, type Preset, presetOf, SCOPES } from "./scopes";

export type KeyDraft = { label: string; environment: "live" | "test"; scopes: Scope[]; expiresInSeconds: number };

const START: KeyDraft = { label: "", environment: "live", scopes: PRESETS.agent.scopes, expiresInSeconds: 0 };
const PRESET_OPTIONS: { value: Preset; label: string }[] = [
  { value: "agent", label: PRESETS.agent.label },
  { value: "reviewer", label: PRESETS.reviewer.label },
  { value: "reader", label: PRESETS.reader.label },
  { value: "custom", label: "Custom" },
];

function ScopeList({ scopes, onChange }: { scopes: Scope[]; onChange: (scopes: Scope[]) => void }) {
  const session = useSession();
  return (
    <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
      {SCOPES.map(({ scope, label }) => (
        <Checkbox
          key={scope}
          checked={scopes.includes(scope)}
          disabled={!mayUse(scope, session)}
          onChange={(on) => onChange(on ? [...scopes, scope] : scopes.filter((one) => one !== scope))}
          label={
            <>
              <span className="block font-mono text-sm text-ink">{scope}</span>
              <span className="block text-sm text-muted">{label}</span>
            </>
          }
        />
      ))}
    </div>
  );
}

/** What a key is called, what it may do and how long. A session hands on only scopes that it has itself. */
export function KeyForm({ onChange, error }: { onChange: (draft: KeyDraft) => void; error: string | null }) {
  const session = useSession();
  const [draft, setDraft] = useState<KeyDraft>(() => ({
    ...START,
    scopes: START.scopes.filter((scope) => mayUse(scope, session)),
  }));
  const change = (part: Partial<KeyDraft>) => setDraft({ ...draft, ...part });
  useEffect(() => onChange(draft), [draft, onChange]);
  const pick = (preset: Preset) => {
    if (preset !== "custom") change({ scopes: PRESETS[preset].scopes.filter((scope) => mayUse(scope, session)) });
  };
  return (
    <div className="flex flex-col gap-4">
      <Field label="Name" error={error}>
        {(ids) => (
          <Input
            {...ids}
            required
            maxLength={256}
            value={draft.label}
            placeholder="support agent"
            autoComplete="off"
            onChange={(event) => change({ label: event.target.value })}
          />
        )}
      </Field>
      <div className="grid grid-cols-2 gap-4">
        <Field label="Expires">
          {(ids) => (
            <Select
              {...ids}
              options={EXPIRIES}
              value={draft.expiresInSeconds}
              onChange={(event) => change({ expiresInSeconds: Number(event.target.value) })}
            />
          )}
        </Field>
        <Field label="Environment">
          {(ids) => (
            <Select
              {...ids}
              value={draft.environment}
              onChange={(event) => change({ environment: event.target.value === "test" ? "test" : "live" })}
              options={[
                { value: "live", label: "live" },
                { value: "test", label: "test (a label only)" },
              ]}
            />
          )}
        </Field>
      </div>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-1.5 text-sm font-medium text-ink">What it may do</legend>
        <div>
          <SegmentedControl label="Preset" value={presetOf(draft.scopes)} onChange={pick} options={PRESET_OPTIONS} />
        </div>
        <ScopeList scopes={draft.scopes} onChange={(scopes) => change({ scopes })} />
      </fieldset>
    </div>
  );
}
