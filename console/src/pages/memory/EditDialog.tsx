import { type FormEvent, useEffect, useId, useState } from "react";
import type { Memory } from "@/api/types";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Field, Input, TextArea } from "@/components/Field";
import type { MemoryChange } from "./useMemoryActions";

const FIELDS = {
  summary: "Summary",
  guidance: "Guidance",
  key_mistake: "Key mistake",
  correct_action: "Correct action",
} as const;
type FieldName = keyof typeof FIELDS;
type Draft = Record<FieldName, string> & { tools: string };

function draftOf(memory: Memory): Draft {
  const { summary, guidance, key_mistake, correct_action } = memory;
  return { summary, guidance, key_mistake, correct_action, tools: memory.applicable_tools.join(", ") };
}

/** Only what is different from the memory as it is. */
function changeOf(memory: Memory, draft: Draft): MemoryChange {
  const change: MemoryChange = {};
  for (const field of Object.keys(FIELDS) as FieldName[])
    if (draft[field] !== memory[field]) change[field] = draft[field];
  if (draft.tools !== memory.applicable_tools.join(", "))
    change.applicable_tools = draft.tools.split(",").flatMap((tool) => tool.trim() || []);
  return change;
}

type Props = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  memory: Memory;
  onSave: (change: MemoryChange) => void;
  busy: boolean;
};

export function EditDialog({ open, onOpenChange, memory, onSave, busy }: Props) {
  const form = useId();
  const [draft, setDraft] = useState(() => draftOf(memory));
  // Live updates must not take away what is being typed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only opening starts a new draft
  useEffect(() => {
    if (open) setDraft(draftOf(memory));
  }, [open]);
  const change = changeOf(memory, draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(change);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Edit the lesson"
      description="It becomes a new revision, written by you. Its utility stays."
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button look="primary" type="submit" form={form} busy={busy} disabled={Object.keys(change).length === 0}>
            Save
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        {(Object.keys(FIELDS) as FieldName[]).map((field) => (
          <Field key={field} label={FIELDS[field]}>
            {(ids) => (
              <TextArea
                {...ids}
                rows={field === "guidance" ? 4 : 2}
                value={draft[field]}
                onChange={(event) => setDraft({ ...draft, [field]: event.target.value })}
              />
            )}
          </Field>
        ))}
        <Field label="Tools that it is about" hint="Separated by commas.">
          {(ids) => (
            <Input
              {...ids}
              value={draft.tools}
              onChange={(event) => setDraft({ ...draft, tools: event.target.value })}
              spellCheck={false}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
