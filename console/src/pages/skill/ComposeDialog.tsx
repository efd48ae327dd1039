import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { answer, client } from "@/api/client";
import { ApiError, errorWords } from "@/api/errors";
import type { Skill } from "@/api/types";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Field, Input } from "@/components/Field";
import { toast } from "@/components/Toast";
import { skillVersionsQuery } from "./queries";

type Props = {
  project: string;
  last: Skill | undefined;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onWritten: (skill: Skill) => void;
};

/** Writes the first version or the next one. */
export function ComposeDialog({ project, last, open, onOpenChange, onWritten }: Props) {
  const form = useId();
  const queries = useQueryClient();
  const [passed, setPassed] = useState(5);
  const [failed, setFailed] = useState(5);
  const write = useMutation({
    mutationFn: () =>
      answer(
        client.POST("/v1/projects/{project_id}/skill/create", {
          params: { path: { project_id: project } },
          body: { n_passed: passed, n_failed: failed },
        }),
      ),
    onSuccess: async (skill) => {
      await queries.invalidateQueries({ queryKey: skillVersionsQuery(project).queryKey });
      onOpenChange(false);
      toast({
        text:
          skill.content === last?.content
            ? `Version ${skill.version} says the same as version ${last.version}`
            : `Version ${skill.version} is written`,
      });
      onWritten(skill);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    write.mutate();
  };
  const fieldError = (path: string) =>
    write.error instanceof ApiError && write.error.path === path ? errorWords(write.error) : undefined;
  const otherError = write.error && !fieldError("n_passed") && !fieldError("n_failed");
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        write.reset();
        onOpenChange(next);
      }}
      title={last ? "Refine the skill" : "Create a skill"}
      description={
        last
          ? "What still holds of the last version is kept; what lost its ground goes; what was learned since comes in."
          : "One document from the best lessons of runs that passed and the most telling ones of runs that failed."
      }
      footer={
        <Button look="primary" type="submit" form={form} busy={write.isPending}>
          {last ? `Write version ${last.version + 1}` : "Create"}
        </Button>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <div className="grid grid-cols-2 gap-4">
          <CountField
            label="Lessons of passed runs"
            value={passed}
            onChange={setPassed}
            error={fieldError("n_passed")}
          />
          <CountField
            label="Lessons of failed runs"
            value={failed}
            onChange={setFailed}
            error={fieldError("n_failed")}
          />
        </div>
        {otherError && (
          <p role="alert" className="rounded-lg bg-fail-soft px-3 py-2 text-verbatim text-fail">
            {errorWords(write.error)}
          </p>
        )}
      </form>
    </Dialog>
  );
}

type CountProps = { label: string; value: number; onChange: (value: number) => void; error: string | undefined };

function CountField({ label, value, onChange, error }: CountProps) {
  return (
    <Field label={label} error={error}>
      {(ids) => (
        <Input
          {...ids}
          type="number"
          min={0}
          max={100}
          required
          value={value}
          onChange={(event) => onChange(event.target.valueAsNumber)}
        />
      )}
    </Field>
  );
}
