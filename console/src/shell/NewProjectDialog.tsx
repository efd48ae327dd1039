import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { projectsQuery } from "@/api/queries";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Field, Input } from "@/components/Field";
import { openOverlay, useOverlay } from "./overlays";

/** Names a project; the server makes it when it is first used. */
export function NewProjectDialog() {
  const open = useOverlay() === "project";
  const [name, setName] = useState("");
  const form = useId();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    openOverlay(null);
    setName("");
    await navigate({ to: "/p/$project/overview", params: { project: name.trim() } });
    void queries.invalidateQueries({ queryKey: projectsQuery.queryKey });
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => openOverlay(next ? "project" : null)}
      title="New project"
      description="Traces, memories and keys of one kind of agent."
      footer={
        <Button look="primary" type="submit" form={form} disabled={!name.trim()}>
          Create
        </Button>
      }
    >
      <form id={form} onSubmit={submit}>
        <Field label="Name">
          {(ids) => (
            <Input
              {...ids}
              value={name}
              maxLength={128}
              onChange={(event) => setName(event.target.value)}
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
