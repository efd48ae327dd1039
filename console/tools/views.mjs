// Every page of the console, for pictures, for axe and for measuring.

/**
 * The views of a project, each with a name and its path below `/p/PROJECT/`.
 * @param {import("./api.mjs").Api} api
 */
export async function views(api) {
  const traces = await api.get("traces?view=summary&limit=200");
  const memories = await api.get("memories?limit=1000");
  const reviewed =
    traces.find((trace) => trace.review?.result === "fail" && trace.retrieved_memory_ids.length) ?? traces[0];
  const long = traces.find((trace) => trace.task.startsWith("Migrate every invoice"));
  const [known] = memories.sort((a, b) => b.uses - a.uses);
  return [
    ["overview", "overview"],
    ["traces", "traces"],
    ["trace", `traces/${reviewed?.id}`],
    ...(long ? [["long-trace", `traces/${long.id}`]] : []),
    ["review", "review"],
    ["memories", "memories"],
    ["memory", `memories/${known?.id}`],
    ["search", `search?task=${encodeURIComponent("A customer was charged twice for one order")}`],
    ["map", "map"],
    ["skill", "skill"],
    ["settings", "settings"],
  ];
}
