import { useNavigate } from "@tanstack/react-router";
import { Eye, EyeOff, Pencil, Pin, PinOff, Trash2, Undo2 } from "lucide-react";
import { useState } from "react";
import { errorWords } from "@/api/errors";
import { useMay } from "@/api/session";
import type { Memory } from "@/api/types";
import { Button } from "@/components/Button";
import { ConfirmDialog } from "@/components/ConfirmDialog";
import { toast } from "@/components/Toast";
import { useShortcuts } from "@/shell/shortcuts";
import { EditDialog } from "./EditDialog";
import { useMemoryActions } from "./useMemoryActions";

export function MemoryActions({ project, memory }: { project: string; memory: Memory }) {
  const mayWrite = useMay("memory:write");
  const navigate = useNavigate();
  const { edit, remove, show, pin, bringBack } = useMemoryActions(project, memory.id);
  const [editing, setEditing] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const active = memory.status === "active";
  const toggle = () => show(active ? "disabled" : "active");
  useShortcuts(
    mayWrite
      ? [
          { keys: "e", label: "Edit the lesson", group: "This memory", run: () => setEditing(true) },
          { keys: "x", label: "Disable or enable", group: "This memory", run: toggle },
        ]
      : [],
  );
  if (!mayWrite) return null;
  return (
    <>
      {memory.retirement && (
        <Button look="primary" icon={<Undo2 aria-hidden />} busy={edit.isPending} onClick={bringBack}>
          Bring back
        </Button>
      )}
      <Button icon={<Pencil aria-hidden />} onClick={() => setEditing(true)}>
        Edit
      </Button>
      <Button
        icon={memory.pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />}
        disabled={edit.isPending}
        onClick={() => pin(!memory.pinned)}
      >
        {memory.pinned ? "May be left out again" : "Never leave out"}
      </Button>
      <Button icon={active ? <EyeOff aria-hidden /> : <Eye aria-hidden />} disabled={edit.isPending} onClick={toggle}>
        {active ? "Disable" : "Enable"}
      </Button>
      <Button look="danger" icon={<Trash2 aria-hidden />} onClick={() => setDeleting(true)}>
        Delete
      </Button>
      <EditDialog
        open={editing}
        onOpenChange={setEditing}
        memory={memory}
        busy={edit.isPending}
        onSave={(change) => edit.mutate(change, { onSuccess: () => setEditing(false) })}
      />
      <ConfirmDialog
        open={deleting}
        onOpenChange={setDeleting}
        title="Delete this memory?"
        action="Delete"
        busy={remove.isPending}
        error={remove.isError ? errorWords(remove.error) : null}
        onConfirm={() =>
          remove.mutate(undefined, {
            onSuccess: () => {
              toast({ text: "The memory was deleted" });
              void navigate({ to: "/p/$project/memories", params: { project } });
            },
          })
        }
      >
        Its lesson, its revisions and what was learned about it go for good. To hide it from queries only, disable it.
      </ConfirmDialog>
    </>
  );
}
