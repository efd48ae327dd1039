import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useRef } from "react";
import { answer, client } from "@/api/client";
import { errorWords } from "@/api/errors";
import { Button } from "@/components/Button";
import { CopyButton } from "@/components/CopyButton";
import { Dialog } from "@/components/Dialog";
import { type KeyDraft, KeyForm } from "./KeyForm";
import { keysQuery } from "./queries";

function useCreateKey(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ expiresInSeconds, ...draft }: KeyDraft) =>
      answer(
        client.POST("/v1/projects/{project_id}/api-keys", {
          params: { path: { project_id: project } },
          body: { ...draft, expires_in_seconds: expiresInSeconds || null },
        }),
      ),
    onSuccess: () => void queries.invalidateQueries({ queryKey: keysQuery(project).queryKey }),
  });
}

function MadeKey({ text }: { text: string }) {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">Copy it now: it is shown this once and kept nowhere.</p>
      <div className="flex items-center gap-2 rounded-lg border border-line bg-sunken p-3">
        <code data-testid="made-key" className="min-w-0 flex-1 font-mono text-sm break-all text-ink">
          {text}
        </code>
        <CopyButton text={text} label="Copy" />
      </div>
    </div>
  );
}

/** Makes a key, then shows its text once. */
export function CreateKeyDialog({
  project,
  open,
  onOpenChange,
}: {
  project: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const form = useId();
  const draft = useRef<KeyDraft | null>(null);
  const create = useCreateKey(project);
  const made = create.data?.api_key;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (draft.current) create.mutate(draft.current);
  };
  const close = () => {
    create.reset();
    onOpenChange(false);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : close())}
      title={made ? "Your new key" : "New key"}
      footer={
        made ? (
          <Button look="primary" onClick={close}>
            I have copied it
          </Button>
        ) : (
          <Button look="primary" type="submit" form={form} busy={create.isPending}>
            Make key
          </Button>
        )
      }
    >
      {made ? (
        <MadeKey text={made} />
      ) : (
        <form id={form} onSubmit={submit}>
          <KeyForm
            onChange={(next) => {
              draft.current = next;
            }}
            error={create.isError ? errorWords(create.error) : null}
          />
        </form>
      )}
    </Dialog>
  );
}
