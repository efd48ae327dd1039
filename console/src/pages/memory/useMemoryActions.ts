import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, client } from "@/api/client";
import { errorWords } from "@/api/errors";
import { memoryQuery } from "@/api/queries";
import type { Schema } from "@/api/types";
import { toast } from "@/components/Toast";

export type MemoryChange = Schema<"EditMemoryRequest">;

/** Editing a memory, hiding it from queries, pinning it, bringing it back, and deleting it. */
export function useMemoryActions(project: string, memory: string) {
  const queries = useQueryClient();
  const params = { path: { project_id: project, memory_id: memory } };
  const refresh = () => {
    for (const topic of ["memories", "memories-rows", "statistics"])
      void queries.invalidateQueries({ queryKey: [project, topic] });
  };
  const edit = useMutation({
    mutationFn: (body: MemoryChange) =>
      answer(client.PATCH("/v1/projects/{project_id}/memories/{memory_id}", { params, body })),
    onSuccess: (changed) => {
      queries.setQueryData(memoryQuery(project, memory).queryKey, (before) => ({
        ...changed,
        credits: changed.credits ?? before?.credits,
      }));
      refresh();
    },
    onError: (error) => toast({ text: errorWords(error), tone: "fail" }),
  });
  const remove = useMutation({
    mutationFn: () => answer(client.DELETE("/v1/projects/{project_id}/memories/{memory_id}", { params })),
    onSuccess: refresh,
  });
  const show = (status: "active" | "disabled") =>
    edit.mutate(
      { status },
      {
        onSuccess: () =>
          toast({
            text: status === "disabled" ? "No query answers with it any more" : "Queries answer with it again",
            undo: () => edit.mutate({ status: status === "disabled" ? "active" : "disabled" }),
          }),
      },
    );
  const pin = (pinned: boolean) =>
    edit.mutate(
      { pinned },
      {
        onSuccess: () =>
          toast({
            text: pinned ? "It is never left out where it is due" : "It may be left out again",
            undo: () => edit.mutate({ pinned: !pinned }),
          }),
      },
    );
  const bringBack = () =>
    edit.mutate(
      { retired: false },
      { onSuccess: () => toast({ text: "Queries answer with it again; what it adds is learned anew" }) },
    );
  return { edit, remove, show, pin, bringBack };
}
