import { answer, client } from "@/api/client";
import { whenServerReturns } from "@/api/connection";
import { ApiError, errorWords, isStatus } from "@/api/errors";
import { queryClient } from "@/api/queries";
import { getSession } from "@/api/session";
import { toast } from "@/components/Toast";
import { randomId } from "@/lib/randomId";
import { stored } from "@/lib/stored";

export type Verdict = { trace_id: string; result: "pass" | "fail"; feedback_text: string | null };
type Operation = { id: string; project: string } & (
  | {
      kind: "review";
      verdict: Verdict /** Names the request that it went out with, so that it can be repeated. */;
      batch?: string;
    }
  | { kind: "take_back"; trace_id: string }
);

const LARGEST_BATCH = 100;
/** Reviews wait this long, so that quick ones go together and an undo often has nothing to take back. */
const GATHER = 400;

/** What is still to be sent, in order. It stays here until the server has answered. */
const outbox = stored<Operation[]>("reflect.outbox", []);
let sending = false;
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

export const useUnsent = (project: string): number =>
  outbox.use().filter((operation) => operation.project === project).length;

function schedule(pause: number): void {
  clearTimeout(timer);
  timer = setTimeout(drain, pause);
}

export function sendReview(project: string, verdict: Verdict): void {
  outbox.change((list) => [...list, { id: randomId(), project, kind: "review", verdict }]);
  schedule(GATHER);
}

/** Takes a review back: from the outbox if it never left it, otherwise from the server. */
export function sendTakeBack(project: string, trace_id: string): void {
  const unsent = outbox
    .get()
    .find((one) => one.kind === "review" && !one.batch && one.project === project && one.verdict.trace_id === trace_id);
  outbox.change((list) =>
    unsent ? list.filter((one) => one !== unsent) : [...list, { id: randomId(), project, kind: "take_back", trace_id }],
  );
  schedule(GATHER);
}

/** The reviews at the front that go out as one request. Which they are is written down before they are sent. */
function nextBatch(): Operation[] {
  const list = outbox.get();
  const [first] = list;
  if (first?.kind !== "review") return list.slice(0, 1);
  if (!first.batch) {
    const end = list.findIndex((one) => one.kind !== "review" || one.project !== first.project);
    const size = Math.min(end < 0 ? list.length : end, LARGEST_BATCH);
    const batch = randomId();
    outbox.change(() => list.map((one, index) => (index < size && one.kind === "review" ? { ...one, batch } : one)));
  }
  const made = outbox.get()[0];
  return outbox.get().filter((one) => one.kind === "review" && made?.kind === "review" && one.batch === made.batch);
}

async function sendReviews(operations: Operation[]): Promise<void> {
  const [first] = operations;
  if (first?.kind !== "review" || !first.batch) return;
  const reviews = operations.flatMap((one) => (one.kind === "review" ? one.verdict : []));
  const { reviews: outcomes } = await answer(
    client.POST("/v1/projects/{project_id}/traces/review", {
      params: { path: { project_id: first.project }, header: { "Idempotency-Key": first.batch } },
      body: { reviews },
    }),
  );
  for (const { error } of outcomes) if (error) toast({ text: `A review was refused: ${error.message}`, tone: "fail" });
}

async function send(operations: Operation[]): Promise<void> {
  const [first] = operations;
  if (first?.kind !== "take_back") return sendReviews(operations);
  const path = { project_id: first.project, trace_id: first.trace_id };
  try {
    await answer(client.DELETE("/v1/projects/{project_id}/traces/{trace_id}/review", { params: { path } }));
  } catch (error) {
    // There is no such review, or no such trace: nothing is left to take back.
    if (!isStatus(error, 404)) throw error;
  }
}

/** Whether it is worth sending again: the server is gone, busy, or still writing the lesson that is to be taken back. */
function passes(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  return error.status >= 500 || [401, 408, 429].includes(error.status) || error.code === "review_in_progress";
}

async function drain(): Promise<void> {
  if (sending || outbox.get().length === 0 || !getSession()) return;
  sending = true;
  const operations = nextBatch();
  try {
    await send(operations);
    failures = 0;
  } catch (error) {
    if (passes(error)) {
      failures += 1;
      sending = false;
      return schedule(Math.min(1000 * 2 ** failures, 15_000));
    }
    toast({ text: errorWords(error), tone: "fail" });
  }
  outbox.change((list) => list.filter((one) => !operations.some(({ id }) => id === one.id)));
  sending = false;
  const project = operations[0]?.project;
  for (const topic of ["traces", "memories", "statistics"])
    void queryClient.invalidateQueries({ queryKey: [project, topic] });
  void drain();
}

/** Sends what an earlier page of this tab has left, now and whenever the server returns. Called once. */
function start(): void {
  whenServerReturns(() => void drain());
  addEventListener("beforeunload", (event) => {
    if (outbox.get().length > 0) event.preventDefault();
  });
  schedule(0);
}
start();
