// A project that looks like a real one: three agents at work for a month, and what they have learned.
//
// The runs are simulated; everything else is real. An agent asks for memories as any would, succeeds more often when a lesson about its kind of
// work was among them, and its reviews move utilities. The times are the server's own: its clock is set back and comes forward day by day.
import { FAMILIES } from "./families.mjs";
import { random as seeded } from "./random.mjs";
import { filler, trajectory } from "./runs.mjs";

const DAYS = 30;
const DAY = 86_400;
const MODELS = ["gpt-5.4-mini", "gpt-5.4-mini", "claude-haiku-4.5", "gemini-3-flash"];
const PRAISE = [null, null, null, null, "Good: it looked at the state before it acted."];

/**
 * Fills a project.
 * @param {import("../api.mjs").Api} api
 * @param {{ setClock?: (secondsAgo: number) => void, days?: number, runsPerDay?: [number, number] }} [options]
 */
export async function seedDemo(api, options = {}) {
  const { setClock = () => {}, days = DAYS, runsPerDay = [9, 19] } = options;
  const random = seeded(20261116);
  // Who is reviewed is drawn apart: how many there are must not hang on which lessons the server happened to show.
  const attention = seeded(20261117);
  const world = { api, random, familyOf: new Map() };
  for (let day = days - 1; day >= 0; day--) {
    const unreviewed = [];
    const runs = random.between(...runsPerDay);
    for (let index = 0; index < runs; index++) {
      setClock(day * DAY + ((runs - index) / runs) * 36_000);
      unreviewed.push(await simulate(world));
    }
    setClock(day * DAY);
    await review(
      world,
      unreviewed.filter(() => attention.chance(day < 3 ? 0.4 : 0.85)),
    );
    if (day === Math.round(days / 2) || day === 4 || day === 1) await writeSkill(api);
  }
  setClock(0);
  await longRun(api);
  await tend(api, random);
}

/** One run: ask for lessons, work, leave a trace. */
async function simulate({ api, random, familyOf }) {
  const family = random.pick(FAMILIES);
  const fill = filler(random);
  const task = fill(random.pick(family.tasks));
  const isAlone = random.chance(0.2);
  const { memories, retrievalId } = isAlone ? { memories: [], retrievalId: null } : await api.query(task, 4);
  const knows = memories.some((memory) => familyOf.get(memory.id) === family);
  const passed = random.chance(family.odds[knows ? 1 : 0]);
  const { trace_id } = await api.post("traces", {
    task,
    trajectory: trajectory(family, { task, fill, passed, lessons: memories }),
    retrieved_memory_ids: memories.map((memory) => memory.id),
    retrieval_id: retrievalId,
    model: random.pick(MODELS),
    metadata: {
      agent: family.agent,
      environment: random.chance(0.85) ? "production" : "staging",
      try: random.between(1, 2),
    },
  });
  return { trace_id, family, passed, feedback: passed ? random.pick(PRAISE) : fill(family.feedback) };
}

/** Reviews runs, most of them in the console, and remembers which memory is about which kind of work. */
async function review({ api, random, familyOf }, runs) {
  if (runs.length === 0) return;
  // A session ends after some hours: another one every day.
  const reviewer = random.chance(0.7) ? api.withKey((await api.signIn()).api_key) : api;
  const reviews = runs.map(({ trace_id, passed, feedback }) => ({
    trace_id,
    result: passed ? "pass" : "fail",
    feedback_text: feedback,
  }));
  await reviewer.post("traces/review", { reviews });
  await api.settled();
  for (const { trace_id, family } of runs) {
    const { created_memory_id } = await api.get(`traces/${trace_id}`);
    if (created_memory_id) familyOf.set(created_memory_id, family);
  }
}

async function writeSkill(api) {
  // Fewer make none.
  if ((await api.get("memories?limit=5")).length < 5) return;
  await api.post("skill/create", { n_passed: 6, n_failed: 6 });
}

/** A run of some hundred messages, for those who want to see one. */
async function longRun(api) {
  const task = "Migrate every invoice template to the new layout and compare each with its old rendering";
  const messages = [{ role: "user", content: [{ type: "text", text: task }] }];
  for (let template = 1; template <= 120; template++) {
    const id = `call_${template}`;
    const input = JSON.stringify({ template: `invoice-${template}`, layout: "2026", compare: true });
    const call = { id, type: "function", function: { name: "render_template", arguments: input } };
    messages.push({
      role: "assistant",
      content: template % 10 ? null : `${template} of 120 done.`,
      tool_calls: [call],
    });
    const difference = template % 17 === 0 ? 0.034 : 0;
    messages.push({
      role: "tool",
      tool_call_id: id,
      content: JSON.stringify({ template, pixels_different: difference, log: "ok\n".repeat(template % 40) }),
    });
  }
  messages.push({
    role: "assistant",
    content: "117 templates are identical; 17, 34, 51, 68, 85, 102 and 119 differ by 3.4 % and wait for a look.",
  });
  await api.post("traces", {
    task,
    trajectory: messages,
    model: "gpt-5.4",
    metadata: { agent: "release", environment: "production" },
  });
}

/** What people do to a project: they mend lessons, switch one off, make keys and settings. */
async function tend(api, random) {
  const memories = await api.get("memories?limit=200");
  const failed = memories.filter((memory) => memory.success === false);
  for (const memory of failed.slice(0, 3)) {
    await api.patch(`memories/${memory.id}`, { guidance: `${memory.guidance} Agreed with the team on Monday.`.trim() });
  }
  if (memories.length > 40) await api.patch(`memories/${random.pick(memories.slice(20)).id}`, { status: "disabled" });
  await api.patch("settings", {
    lambda: 0.6,
    judge_rubric: "A run passes if a tool confirmed everything that its answer promises.",
  });
  for (const [label, scopes] of KEYS) await api.post("api-keys", { label, scopes });
  const old = await api.post("api-keys", { label: "laptop (old)", scopes: ["memory:read", "trace:write"] });
  await api.post(`api-keys/${old.key.id}/revoke`);
}

const KEYS = [
  ["support agent", ["memory:read", "trace:write"]],
  ["SQL assistant", ["memory:read", "trace:write"]],
  ["release bot", ["memory:read", "trace:write"]],
  ["dashboard", ["memory:read", "trace:read", "skill:read"]],
];
