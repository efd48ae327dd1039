import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, client } from "@/api/client";
import { errorWords } from "@/api/errors";
import type { Trace } from "@/api/types";
import { toast } from "@/components/Toast";
import { randomId } from "@/lib/randomId";
import { traceQuery } from "@/pages/traces/queries";

export type Verdict = { result: "pass" | "fail"; feedback: string; corrects: boolean };

/** Reviewing a trace, taking its review back, and having its lesson tried again. */
export function useTraceActions(project: string, trace: string) {
  const queries = useQueryClient();
  const params = { path: { project_id: project, trace_id: trace } };
  const onSuccess = (changed: Trace) => {
    queries.setQueryData(traceQuery(project, trace).queryKey, changed);
    for (const topic of ["traces", "memories", "statistics"])
      void queries.invalidateQueries({ queryKey: [project, topic] });
  };
  const onError = (error: unknown) => toast({ text: errorWords(error), tone: "fail" });
  const review = useMutation({
    mutationFn: ({ result, feedback, corrects }: Verdict): Promise<Trace> =>
      answer(
        client.POST("/v1/projects/{project_id}/traces/{trace_id}/review", {
          params: { ...params, header: { "Idempotency-Key": randomId() } },
          body: { result, feedback_text: feedback.trim() || null, supersedes: corrects },
        }),
      ),
    onSuccess,
    onError,
  });
  const takeBack = useMutation({
    mutationFn: (): Promise<Trace> =>
      answer(client.DELETE("/v1/projects/{project_id}/traces/{trace_id}/review", { params })),
    onSuccess: (changed) => {
      onSuccess(changed);
      toast({ text: "The review was taken back, with its lesson and its credits" });
    },
    onError,
  });
  const retry = useMutation({
    mutationFn: (): Promise<Trace> =>
      answer(client.POST("/v1/projects/{project_id}/traces/{trace_id}/retry", { params })),
    onSuccess,
    onError,
  });
  return { review, takeBack, retry };
}
