import { type FormEvent, useState } from "react";
import { Button } from "@/components/Button";
import { Logo } from "@/components/Logo";
import { ProjectNameField } from "./ProjectNameField";
import { useNewProject } from "./useNewProject";

/** The first page of a new server: name a project, and see what to paste. */
export function NoProjects() {
  const [name, setName] = useState("default");
  const create = useNewProject();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void create(name);
  };
  return (
    <main className="flex h-dvh flex-col items-center overflow-y-auto p-5">
      <title>Welcome · Reflect</title>
      <div className="my-auto flex w-full max-w-sm flex-col gap-7 py-8">
        <div className="flex flex-col items-center gap-4 text-center">
          <Logo className="size-11" />
          <div>
            <h1 className="text-xl font-semibold tracking-tight">Welcome to Reflect</h1>
            <p className="mt-1 text-muted">
              Your agents’ runs become lessons, and what helped is shown again. Start with a project.
            </p>
          </div>
        </div>
        <form
          onSubmit={submit}
          className="flex flex-col gap-4 rounded-xl border border-line bg-surface p-6 shadow-card"
        >
          <ProjectNameField
            label="Project"
            hint="It holds the traces, the memories and the keys of one kind of agent."
            value={name}
            onChange={setName}
          />
          <Button type="submit" look="primary" disabled={!name.trim()}>
            Start
          </Button>
        </form>
      </div>
    </main>
  );
}
