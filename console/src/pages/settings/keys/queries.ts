import { queryOptions } from "@tanstack/react-query";
import { answer, client } from "@/api/client";

export function keysQuery(project: string) {
  return queryOptions({
    queryKey: [project, "keys"],
    queryFn: ({ signal }) =>
      answer(client.GET("/v1/projects/{project_id}/api-keys", { params: { path: { project_id: project } }, signal })),
  });
}
