// A run of an agent, as a trace would hold it.
import { VALUES } from "./families.mjs";

/** Draws the values of a run, and fills them into words, arguments and results. */
export function filler(random) {
  const drawn = Object.fromEntries(Object.entries(VALUES).map(([name, values]) => [name, random.pick(values)]));
  const fill = (value) => {
    if (typeof value === "string") return value.replace(/\{(\w+)\}/g, (whole, name) => drawn[name] ?? whole);
    if (Array.isArray(value)) return value.map(fill);
    if (value && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, fill(v)]));
    return value;
  };
  return fill;
}

const SYSTEM = {
  support:
    "You are the support agent of a web shop. Be brief and kind. Use the tools; never promise what no tool has confirmed.",
  sql: "You answer questions about the business with SQL. The warehouse is PostgreSQL. You may read; writing needs an approval.",
  release: "You prepare releases of five services. Tags, changelogs and rollbacks go through the tools.",
};

/** The messages of a run: a prompt with its lessons, tool calls with their results, an answer. */
export function trajectory(family, { task, fill, passed, lessons }) {
  const remembered = lessons.map((memory) => `- ${memory.reflection.split("\n")[0]}`).join("\n");
  const system = SYSTEM[family.agent] + (remembered ? `\n\nLessons from earlier runs:\n${remembered}` : "");
  const messages = [
    { role: "system", content: system },
    { role: "user", content: task },
  ];
  for (const [index, [tool, input, result]] of (passed ? family.right : family.wrong).entries()) {
    const id = `call_${index + 1}`;
    const words = fill(input);
    const call = { name: tool, arguments: typeof words === "string" ? words : JSON.stringify(words) };
    messages.push({ role: "assistant", content: null, tool_calls: [{ id, type: "function", function: call }] });
    const answer = fill(result);
    messages.push({
      role: "tool",
      tool_call_id: id,
      content: typeof answer === "string" ? answer : JSON.stringify(answer),
    });
  }
  messages.push({ role: "assistant", content: fill(passed ? family.answer : family.failed) });
  return messages;
}
