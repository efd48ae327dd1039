import { type ReactNode, useId, useState } from "react";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { Field, Input } from "./Field";

type Props = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  children: ReactNode;
  action: string;
  onConfirm: () => void;
  busy?: boolean;
  error?: string | null;
  /** What has to be typed first, for what cannot be undone. */
  typed?: string;
};

export function ConfirmDialog({ open, onOpenChange, title, children, action, onConfirm, busy, error, typed }: Props) {
  const [text, setText] = useState("");
  const form = useId();
  const ready = typed === undefined || text === typed;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        setText("");
        onOpenChange(next);
      }}
      title={title}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button look="danger" type="submit" form={form} disabled={!ready} busy={busy}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-4 text-muted"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) onConfirm();
        }}
      >
        <div>{children}</div>
        {typed !== undefined && (
          <Field
            label={
              <>
                Type <code className="rounded bg-sunken px-1 font-mono text-ink">{typed}</code> to go on
              </>
            }
          >
            {(ids) => (
              <Input
                {...ids}
                value={text}
                onChange={(event) => setText(event.target.value)}
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </Field>
        )}
        {error && (
          <p role="alert" className="text-fail">
            {error}
          </p>
        )}
      </form>
    </Dialog>
  );
}
