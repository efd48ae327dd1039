import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answer, client } from "@/api/client";
import { errorWords } from "@/api/errors";
import { projectsQuery } from "@/api/queries";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { ConfirmDialog } from "@/components/ConfirmDialog";
import { toast } from "@/components/Toast";
import { plural } from "@/lib/format";

function useDeleteProject(project: string) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => answer(client.DELETE("/v1/projects/{project_id}", { params: { path: { project_id: project } } })),
    onSuccess: async (gone) => {
      // Away first: a page of this project would ask about it again, and the master key's asking makes it anew.
      await queries.fetchQuery({ ...projectsQuery, staleTime: 0 });
      await navigate({ to: "/", replace: true });
      queries.removeQueries({ queryKey: [project] });
      toast({
        text: `${project} is deleted: ${plural(gone.traces, "trace")}, ${plural(gone.memories, "memory", "memories")}`,
      });
    },
  });
}

/** What cannot be undone. */
export function DangerSection({ project }: { project: string }) {
  const [asking, setAsking] = useState(false);
  const remove = useDeleteProject(project);
  return (
    <Card title="Delete this project" className="border-fail!">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <p className="max-w-xl text-muted">
          Removes its traces, reviews, memories and skill, revokes its keys and cancels what is queued. There is no way
          back.
        </p>
        <Button look="danger" onClick={() => setAsking(true)}>
          Delete project
        </Button>
      </div>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={`Delete ${project}?`}
        action="Delete for good"
        typed={project}
        busy={remove.isPending}
        error={remove.isError ? errorWords(remove.error) : null}
        onConfirm={() => remove.mutate()}
      >
        Everything that was recorded and learned in it goes, and agents that use its keys are refused from then on.
      </ConfirmDialog>
    </Card>
  );
}
