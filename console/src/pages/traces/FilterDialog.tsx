import { type FormEvent, useEffect, useId, useState } from "react";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Field, Input, TextArea } from "@/components/Field";
import type { TraceFilters } from "./filters";

type Props = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  filters: TraceFilters;
  onChange: (change: Partial<TraceFilters>) => void;
  models: string[];
};

/** The rarer filters: model, metadata, days. */
export function FilterDialog({ open, onOpenChange, filters, onChange, models }: Props) {
  const [model, setModel] = useState("");
  const [metadata, setMetadata] = useState("");
  const [since, setSince] = useState("");
  const [until, setUntil] = useState("");
  const list = useId();
  const form = useId();
  useEffect(() => {
    if (!open) return;
    setModel(filters.model ?? "");
    setMetadata((filters.metadata ?? []).join("\n"));
    setSince(filters.since ?? "");
    setUntil(filters.until ?? "");
  }, [open, filters]);
  const pairs = metadata.split("\n").filter((line) => line.trim());
  const wrong = pairs.find((pair) => pair.indexOf("=") < 1);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wrong !== undefined) return;
    onChange({
      model: model.trim() || undefined,
      metadata: pairs.length > 0 ? pairs : undefined,
      since: since || undefined,
      until: until || undefined,
      ...(since || until ? { range: undefined } : {}),
    });
    onOpenChange(false);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="More filters"
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button look="primary" type="submit" form={form}>
            Apply
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Model">
          {(ids) => (
            <Input
              {...ids}
              list={list}
              value={model}
              onChange={(event) => setModel(event.target.value)}
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
        <datalist id={list}>
          {models.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Field
          label="Metadata"
          hint={
            <>
              One <code className="font-mono">key=value</code> on each line; all of them must match.
            </>
          }
          error={wrong !== undefined && `“${wrong}” has no key and value with = between them`}
        >
          {(ids) => (
            <TextArea
              {...ids}
              rows={3}
              value={metadata}
              onChange={(event) => setMetadata(event.target.value)}
              spellCheck={false}
              placeholder="team=billing"
              className="font-mono"
            />
          )}
        </Field>
        <div className="grid grid-cols-2 gap-3">
          <Field label="From">
            {(ids) => <Input {...ids} type="date" value={since} onChange={(event) => setSince(event.target.value)} />}
          </Field>
          <Field label="Until, that day included">
            {(ids) => <Input {...ids} type="date" value={until} onChange={(event) => setUntil(event.target.value)} />}
          </Field>
        </div>
      </form>
    </Dialog>
  );
}
