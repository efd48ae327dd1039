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
    ["map-list", "map?view=list"],
    ["skill", "skill"],
    ["skill-document", "skill?view=document"],
    ["skill-compare", "skill?view=compare"],
    ["settings", "settings"],
    ...["ranking", "models", "judge", "danger"].map((section) => [
      `settings-${section}`,
      `settings?section=${section}`,
    ]),
  ];
}

/**
 * What opens over the pages of a project: a name, the path of the page, and how it is opened there.
 * @param {import("./api.mjs").Api} api
 * @returns {Promise<[string, string, (page: import("@playwright/test").Page) => Promise<void>][]>}
 */
export async function dialogs(api) {
  const [open] = await api.get("traces?review_status=pending&view=summary&limit=1");
  const [reviewed] = await api.get("traces?review_status=reviewed&view=summary&limit=1");
  const [memory] = await api.get("memories?limit=1");
  const button = (name) => (page) => page.getByRole("button", { name, exact: true }).first().click();
  const shown = async (page) => {
    const opened = page.getByRole("dialog").or(page.getByRole("menu")).first();
    await opened.waitFor();
    await opened.evaluate((it) => Promise.allSettled(it.getAnimations().map(({ finished }) => finished)));
  };
  /** A phone shows the replay or what is beside it; where there is room, this is the title of a card. */
  const details = (page) => page.getByText("Details", { exact: true }).filter({ visible: true }).first().click();
  const all = [
    ["palette", "overview", (page) => page.keyboard.press("ControlOrMeta+k")],
    ["help", "overview", (page) => page.keyboard.press("?")],
    ["filters", "traces", button("Model, metadata")],
    // A phone has a drawer, which holds the menu.
    [
      "account",
      "overview",
      (page) =>
        page
          .getByRole("button", { name: /^(Account|More)$/ })
          .first()
          .click(),
    ],
    ["fail", `traces/${open?.id}`, (page) => details(page).then(() => button("Fail")(page))],
    ["correct", `traces/${reviewed?.id}`, (page) => details(page).then(() => button("Correct")(page))],
    ["take-back", `traces/${reviewed?.id}`, (page) => details(page).then(() => button("Take back")(page))],
    ["edit", `memories/${memory?.id}`, button("Edit")],
    ["delete", `memories/${memory?.id}`, button("Delete")],
    ["compose", "skill", button("Refine")],
    ["new-key", "settings", button("New key")],
    ["revoke", "settings", (page) => page.getByRole("button", { name: "Revoke support agent" }).click()],
    [
      "delete-project",
      "settings?section=danger",
      (page) =>
        page
          .getByRole("button", { name: /delete/i })
          .first()
          .click(),
    ],
  ];
  return all.map(([name, path, show]) => [name, path, (page) => show(page).then(() => shown(page))]);
}
