import { errorWords } from "@/api/errors";
import type { Settings, SettingsChoices } from "@/api/types";
import { useChoices, useSettings } from "@/api/useSettings";
import { Card } from "@/components/Card";
import { Field } from "@/components/Field";
import { Select } from "@/components/Select";
import { ErrorState, SkeletonRows } from "@/components/states";
import { EmbedderCard } from "./EmbedderCard";
import { useChangeSettings } from "./useChangeSettings";

function ReflectorCard({
  project,
  settings,
  choices,
}: {
  project: string;
  settings: Settings;
  choices: SettingsChoices;
}) {
  const save = useChangeSettings(project, "Lessons are written by that from now on");
  const chosen = save.isPending ? (save.variables.reflector ?? null) : (settings.reflector ?? null);
  return (
    <Card title="Reflector" hint="Writes the lesson of a reviewed run.">
      <div className="max-w-md">
        <Field
          label="Lessons are written by"
          hint="Base URLs and keys of models are the operator’s; those that were listed can be picked here."
          error={save.isError ? errorWords(save.error) : undefined}
        >
          {(ids) => (
            <Select
              {...ids}
              value={chosen ?? ""}
              disabled={save.isPending}
              onChange={(event) => save.mutate({ reflector: event.target.value || null })}
              options={[
                { value: "", label: `As the server’s, ${choices.defaults.reflector}` },
                ...choices.reflectors.map((name) => ({
                  value: name,
                  label: name === "builtin" ? "builtin (rules)" : name,
                })),
              ]}
            />
          )}
        </Field>
      </div>
    </Card>
  );
}

/** Who writes lessons and who makes vectors. */
export function ModelsSection({ project }: { project: string }) {
  const settings = useSettings(project);
  const choices = useChoices(project);
  const error = settings.error ?? choices.error;
  if (error) {
    return (
      <ErrorState
        error={error}
        retry={() => {
          void settings.refetch();
          void choices.refetch();
        }}
      />
    );
  }
  if (!settings.data || !choices.data) return <SkeletonRows rows={3} className="h-28" />;
  return (
    <div className="flex flex-col gap-4">
      <ReflectorCard project={project} settings={settings.data} choices={choices.data} />
      <EmbedderCard project={project} settings={settings.data} choices={choices.data} />
    </div>
  );
}
