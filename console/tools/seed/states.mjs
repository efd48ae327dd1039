// The states of a project that are rare and matter: a judge at work, a switch that takes its time, a lesson that failed, a model that refuses.
import { FAMILIES } from "./families.mjs";
import { random as seeded } from "./random.mjs";
import { filler, trajectory } from "./runs.mjs";

const JUDGE = "openai/gpt-5.4-mini";
const EMBEDDER = "openai/text-embedding-3-small";

/** Runs without a review, each with how it went. Others by another seed: what was embedded once is not embedded again. */
async function runs(api, count, seed) {
  const random = seeded(seed);
  const sent = [];
  for (let number = 0; number < count; number++) {
    const family = FAMILIES[(number + seed) % FAMILIES.length];
    const fill = filler(random);
    const task = fill(random.pick(family.tasks));
    const passed = random.chance(0.6);
    const body = { task, trajectory: trajectory(family, { task, fill, passed, lessons: [] }), model: "gpt-5.4-mini" };
    const { trace_id } = await api.post("traces", body);
    sent.push({ trace_id, result: passed ? "pass" : "fail", feedback_text: passed ? null : fill(family.feedback) });
  }
  return sent;
}

/**
 * Runs that a judge has reviewed, and most of them people after it, so that its report compares them.
 * @param {import("../api.mjs").Api} api
 * @param {{ count?: number, reviewer?: import("../api.mjs").Api }} [options]
 */
export async function judgedRuns(api, { count = 60, reviewer = api } = {}) {
  await api.patch("settings", { judge: JUDGE });
  const sent = await runs(api, count, 11);
  await until(async () => {
    const { judged, unknown } = await api.get("judge/report");
    return judged + unknown >= count;
  });
  const reviews = sent.slice(0, Math.round(count * 0.8)).map((run) => ({ ...run, supersedes: true }));
  await reviewer.post("traces/review", { reviews });
  await api.settled();
}

/**
 * A switch to an embedder that makes the vectors of a first batch of 32 memories, task and lesson, and is slow with the rest. Some more texts than
 * those 64 are let through, since a lesson may be written meanwhile; a second batch has to need more than those, or the switch ends at once.
 */
export async function switchUnderWay(api, provider, { texts = 72 } = {}) {
  provider.embedsAtOnce = texts;
  await api.patch("settings", { embedder: EMBEDDER });
  await until(async () => ((await api.get("settings")).embedder_switch?.done ?? 0) > 0);
}

/** A reviewed run whose lesson could not be stored, since the embedder of its project refused; its id. */
export async function failedLesson(api, provider) {
  await api.patch("settings", { embedder: EMBEDDER });
  await until(async () => (await api.get("settings")).embedder_switch === null);
  provider.refuses = true;
  const [run] = await runs(api, 1, 12);
  await api.post("traces/review", { reviews: [run] });
  await until(async () => (await api.get(`traces/${run.trace_id}`)).ingest_status === "failed");
  return run.trace_id;
}

/** A model that writes lessons, and turns every question away. */
export async function modelRefuses(api, provider) {
  provider.refuses = true;
  await api.patch("settings", { reflector: "openai/gpt-5.4" });
  const reviews = await runs(api, 4, 13);
  await api.post("traces/review", { reviews });
  await until(async () => (await fetch(`${api.url}/ready`).then((answer) => answer.json())).problems?.length > 0);
}

async function until(isSo) {
  const end = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`waited for a minute until ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
