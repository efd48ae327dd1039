import { type FormEvent, useId, useState } from "react";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { openOverlay, useOverlay } from "./overlays";
import { ProjectNameField } from "./ProjectNameField";
import { useNewProject } from "./useNewProject";

/** Names a project; the server makes it when it is first used. */
export function NewProjectDialog() {
  const open = useOverlay() === "project";
  const [name, setName] = useState("");
  const form = useId();
  const create = useNewProject();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    openOverlay(null);
    setName("");
    void create(name);
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
        <ProjectNameField label="Name" value={name} onChange={setName} />
      </form>
    </Dialog>
  );
}
