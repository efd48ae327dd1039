import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { statisticsQuery } from "@/api/queries";
import type { Trace } from "@/api/types";
import { usePagedRows } from "@/api/usePagedRows";
import { hasFilters } from "@/pages/traces/filters";
import { fetchTraces, traceQuery } from "@/pages/traces/queries";
import { sendReview, sendTakeBack } from "./outbox";
import { type Decision, progressOf } from "./progress";

/** The traces that wait for a review, the one on the table, and what can be done with it. */
export function useReviewQueue(project: string) {
  const { trace: picked, ...filters } = useSearch({ from: "/p/$project/review" });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const progress = progressOf(project);
  const { decided, deferred } = progress.use();
  const open = { ...filters, status: "open" as const, result: undefined };
  const list = usePagedRows<Trace>({
    project,
    topic: "traces",
    list: [open],
    fetchPage: (page) => fetchTraces(project, open, page),
    cursorOf: (trace) => trace.id,
  });
  const done = useMemo(() => new Set(decided.map(({ trace_id }) => trace_id)), [decided]);
  const queue = useMemo(() => {
    const left = list.rows.filter((row) => !done.has(row.id));
    const later = new Set(deferred);
    return [...left.filter((row) => !later.has(row.id)), ...left.filter((row) => later.has(row.id))];
  }, [list.rows, done, deferred]);
  const now = queue.filter((row) => !deferred.includes(row.id));
  const current = picked ?? now[0]?.id;
  const at = queue.findIndex((row) => row.id === current);

  const pending = useQuery({ ...statisticsQuery(project), enabled: !hasFilters(filters) }).data?.traces.pending;
  const left = list.isWhole || pending === undefined ? queue.length : Math.max(pending, queue.length);
  const next = queue[at + 1];
  useEffect(() => {
    if (next) void queries.prefetchQuery(traceQuery(project, next.id));
  }, [queries, project, next]);
  const { onEnd } = list;
  useEffect(() => {
    if (at >= queue.length - 20) void onEnd();
  }, [at, queue.length, onEnd]);

  const show = (trace: string | undefined) =>
    void navigate({
      to: "/p/$project/review",
      params: { project },
      search: { ...filters, trace },
      replace: true,
      resetScroll: false,
    });
  /** The one after this; at the end, from the start again. */
  const following = () => (at >= 0 ? (queue[at + 1] ?? queue[0]) : now[0]);
  const showFollowing = () => {
    const row = following();
    show(row && row.id !== current ? row.id : undefined);
  };
  return {
    list,
    current,
    left,
    queue,
    decided,
    deferred: queue.length - now.length,
    isMoreLeft: !list.isWhole && pending === undefined,
    show,
    next: showFollowing,
    previous: () => at > 0 && show(queue[at - 1]?.id),
    decide: (decision: Decision, feedback: string) => {
      sendReview(project, {
        trace_id: decision.trace_id,
        result: decision.result,
        feedback_text: feedback.trim() || null,
      });
      showFollowing();
      progress.change((before) => ({ ...before, decided: [...before.decided, decision] }));
    },
    defer: () => {
      if (!current) return;
      showFollowing();
      progress.change((before) => ({
        ...before,
        deferred: [...before.deferred.filter((id) => id !== current), current],
      }));
    },
    recall: () => progress.change((before) => ({ ...before, deferred: [] })),
    /** Takes a decision back and puts its trace on the table again. */
    undo: (trace = decided.at(-1)?.trace_id) => {
      if (!trace) return;
      sendTakeBack(project, trace);
      progress.change((before) => ({ ...before, decided: before.decided.filter((one) => one.trace_id !== trace) }));
      show(trace);
    },
  };
}
