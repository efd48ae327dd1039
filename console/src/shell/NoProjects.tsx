import { FolderPlus } from "lucide-react";
import { Button } from "@/components/Button";
import { EmptyState } from "@/components/states";
import { NewProjectDialog } from "./NewProjectDialog";
import { openOverlay } from "./overlays";

/** A server that has no project yet. */
export function NoProjects() {
  return (
    <main className="flex h-dvh items-center justify-center">
      <EmptyState
        icon={<FolderPlus aria-hidden />}
        title="No project yet"
        action={
          <Button look="primary" onClick={() => openOverlay("project")}>
            New project
          </Button>
        }
      >
        A project holds the traces, the memories and the keys of one kind of agent.
      </EmptyState>
      <NewProjectDialog />
    </main>
  );
}
