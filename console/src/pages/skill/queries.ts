import { queryOptions } from "@tanstack/react-query";
import { answer, client } from "@/api/client";

/** The newest hundred versions of a project's skill, newest first. */
export function skillVersionsQuery(project: string) {
  return queryOptions({
    queryKey: [project, "skill", "versions"],
    queryFn: ({ signal }) =>
      answer(
        client.GET("/v1/projects/{project_id}/skill/versions", { params: { path: { project_id: project } }, signal }),
      ),
  });
}
