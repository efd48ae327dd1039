import { useState } from "react";
import { errorWords } from "@/api/errors";
import type { Settings, SettingsChoices } from "@/api/types";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Field } from "@/components/Field";
import { ProgressBar } from "@/components/ProgressBar";
import { Prose } from "@/components/Prose";
import { Select } from "@/components/Select";
import { Time } from "@/components/Time";
import { formatCount } from "@/lib/format";
import { useChangeSettings } from "./useChangeSettings";

type Change = NonNullable<Settings["embedder_switch"]>;

/** How far a switch has come. Without `onBack` the embedder stays, and memories get the vectors that they lack. */
function SwitchProgress({ change, onBack, busy }: { change: Change; onBack?: () => void; busy: boolean }) {
  return (
    <div role="status" className="flex flex-col gap-3 rounded-lg border border-line bg-sunken px-4 py-3.5">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-ink">
          {onBack ? "On the way to " : "Missing vectors are being made by "}
          <span className="font-mono text-sm">{change.to}</span>
          <span className="text-muted">
            , since <Time at={change.started_at} />
          </span>
        </p>
        {onBack && (
          <Button size="sm" busy={busy} onClick={onBack}>
            Go back
          </Button>
        )}
      </div>
      <ProgressBar label="Memories embedded" value={change.done} total={change.total} />
      <p className="text-sm text-muted">
        {formatCount(change.done)} of {formatCount(change.total)} memories. Queries are answered all the while.
      </p>
      {change.problem && (
        <p role="alert" className="text-verbatim text-fail">
          The last step failed and is tried again: <Prose text={change.problem} />
        </p>
      )}
    </div>
  );
}

/** What makes the vectors that queries compare, and the way to another. */
export function EmbedderCard({
  project,
  settings,
  choices,
}: {
  project: string;
  settings: Settings;
  choices: SettingsChoices;
}) {
  const [picked, setPicked] = useState<string | null>(null);
  const save = useChangeSettings(project, "On the way: see how far below");
  const change = settings.embedder_switch;
  const known = [...new Set([settings.embedder, ...choices.embedders])];
  const target = picked ?? change?.to ?? settings.embedder;
  return (
    <Card title="Embedder" hint="Turns tasks and lessons into vectors. All memories get new ones when it changes.">
      <div className="flex flex-col gap-4">
        <div className="max-w-md">
          <Field label="Vectors are made by" error={save.isError ? errorWords(save.error) : undefined}>
            {(ids) => (
              <div className="flex gap-2">
                <Select
                  {...ids}
                  value={target}
                  onChange={(event) => setPicked(event.target.value)}
                  options={known.map((name) => ({
                    value: name,
                    label: name === settings.embedder ? `${name} (now)` : name,
                  }))}
                />
                <Button
                  disabled={target === (change?.to ?? settings.embedder)}
                  busy={save.isPending}
                  onClick={() => save.mutate({ embedder: target }, { onSuccess: () => setPicked(null) })}
                >
                  Switch
                </Button>
              </div>
            )}
          </Field>
        </div>
        {known.length === 1 && !change && (
          <p className="text-sm text-muted">This server has no other. The operator names more with REFLECT_EMBEDDER.</p>
        )}
        {change && (
          <SwitchProgress
            change={change}
            busy={save.isPending}
            onBack={change.to === settings.embedder ? undefined : () => save.mutate({ embedder: settings.embedder })}
          />
        )}
      </div>
    </Card>
  );
}
