// A large project, for measuring: 100,000 traces, 20,000 of them reviewed with a lesson.
import { FAMILIES } from "./families.mjs";
import { random as seeded } from "./random.mjs";
import { filler, trajectory } from "./runs.mjs";

const CONNECTIONS = 32;

/** @param {import("../api.mjs").Api} api */
export async function seedLarge(api, { traces = 100_000, memories = 20_000 } = {}) {
  const random = seeded(7);
  let next = 0;
  const work = async () => {
    while (next < traces) {
      const number = next++;
      await api.post("traces", run(random, number, number % Math.round(traces / memories) === 0));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  await api.settled();
}

function run(random, number, isReviewed) {
  const family = random.pick(FAMILIES);
  const fill = filler(random);
  const task = `${fill(random.pick(family.tasks))} (ticket ${number})`;
  const passed = random.chance(0.6);
  const lesson = fill(passed ? family.answer : family.feedback);
  const review = {
    result: passed ? "pass" : "fail",
    feedback_text: lesson,
    reflection: { summary: task, guidance: lesson },
  };
  return {
    task,
    trajectory: trajectory(family, { task, fill, passed, lessons: [] }),
    model: "gpt-5.4-mini",
    metadata: { agent: family.agent },
    ...(isReviewed ? { review } : {}),
  };
}
