import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { errorWords } from "@/api/errors";
import { useChoices, useSettings } from "@/api/useSettings";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Field, TextArea } from "@/components/Field";
import { Select } from "@/components/Select";
import { ErrorState, Skeleton } from "@/components/states";
import { useChangeSettings } from "../useChangeSettings";

type Draft = { judge?: string | null; judge_rubric?: string | null };

/** Which model judges, and by what. */
export function JudgeForm({ project }: { project: string }) {
  const settings = useSettings(project);
  const choices = useChoices(project);
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Draft>({});
  const save = useChangeSettings(project);
  if (settings.isError) return <ErrorState error={settings.error} retry={() => void settings.refetch()} />;
  if (!settings.data || choices.isPending) return <Skeleton className="h-96 rounded-xl" />;
  const judge = draft.judge === undefined ? (settings.data.judge ?? null) : draft.judge;
  const rubric = draft.judge_rubric === undefined ? (settings.data.judge_rubric ?? "") : (draft.judge_rubric ?? "");
  const changed = judge !== (settings.data.judge ?? null) || rubric !== (settings.data.judge_rubric ?? "");
  const names = [...new Set([...(choices.data?.judges ?? ["off"]), ...(judge ? [judge] : [])])];
  const submit = () =>
    save.mutate(
      { judge, judge_rubric: rubric.trim() ? rubric : null },
      {
        onSuccess: () => {
          setDraft({});
          void queries.invalidateQueries({ queryKey: [project, "judge"] });
        },
      },
    );
  return (
    <Card
      title="Judge"
      hint="Reviews runs that nobody else does (after an hour, unless the operator says otherwise), with small steps; any other review takes its place."
    >
      <div className="flex flex-col gap-4">
        <Field label="Runs are judged by">
          {(ids) => (
            <Select
              {...ids}
              value={judge ?? ""}
              onChange={(event) => setDraft({ ...draft, judge: event.target.value || null })}
              options={[
                { value: "", label: `As the server’s, ${choices.data?.defaults.judge ?? "off"}` },
                ...names.map((name) => ({ value: name, label: name === "off" ? "off: nobody" : name })),
              ]}
            />
          )}
        </Field>
        <Field
          label="Rubric"
          hint="What the judge holds a run against, in your words."
          error={save.isError ? errorWords(save.error) : undefined}
        >
          {(ids) => (
            <TextArea
              {...ids}
              rows={5}
              value={rubric}
              placeholder="A run passes if its SQL answers the question."
              onChange={(event) => setDraft({ ...draft, judge_rubric: event.target.value })}
            />
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button disabled={!changed} onClick={() => setDraft({})}>
            Discard
          </Button>
          <Button look="primary" disabled={!changed} busy={save.isPending} onClick={submit}>
            Save
          </Button>
        </div>
      </div>
    </Card>
  );
}
