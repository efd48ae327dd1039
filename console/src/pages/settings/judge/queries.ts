import { queryOptions } from "@tanstack/react-query";
import { answer, client } from "@/api/client";

export function judgeReportQuery(project: string) {
  return queryOptions({
    queryKey: [project, "judge"],
    queryFn: ({ signal }) =>
      answer(
        client.GET("/v1/projects/{project_id}/judge/report", { params: { path: { project_id: project } }, signal }),
      ),
  });
}
