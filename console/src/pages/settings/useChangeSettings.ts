import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, client } from "@/api/client";
import { settingsQuery } from "@/api/queries";
import type { SettingsChange } from "@/api/types";
import { toast } from "@/components/Toast";

/** Changes some of a project's settings; what is absent stays, null follows the server again. */
export function useChangeSettings(project: string, done = "Saved") {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: SettingsChange) =>
      answer(
        client.PATCH("/v1/projects/{project_id}/settings", { params: { path: { project_id: project } }, body: change }),
      ),
    onSuccess: (settings) => {
      queries.setQueryData(settingsQuery(project).queryKey, settings);
      toast({ text: done });
    },
  });
}
