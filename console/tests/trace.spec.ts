import { expect, run, test } from "./fixtures";

test("a trace is replayed step by step, with its tool calls", async ({ page, api, open }) => {
  const { trace_id } = await api.post("traces", run("Where is order 4411?"));
  await open(`traces/${trace_id}`);
  const replay = page.getByRole("region", { name: "Replay" });
  await expect(replay.getByText("look_up")).toBeVisible();
  await expect(replay.getByText("4411").first()).toBeVisible();
  await expect(replay.getByText("1 / 4")).toBeVisible();
  await replay.getByRole("button", { name: "Next step" }).click();
  await replay.getByRole("button", { name: "Next step" }).click();
  await expect(replay.getByText("3 / 4")).toBeVisible();
  await expect(page).toHaveURL(/step=/);
  await page.reload();
  await expect(replay.getByText("3 / 4")).toBeVisible();
});

test("a review says where it was given", async ({ page, api, open }) => {
  const { trace_id } = await api.post("traces", { ...run("Where is order 4411?"), review: { result: "fail" } });
  const given = page.getByText(/^given /).first();
  await open(`traces/${trace_id}`);
  await expect(given).toContainText("through the API");
  const { api_key } = await api.signIn();
  await api.withKey(api_key).post(`traces/${trace_id}/review`, { result: "pass", supersedes: true });
  await expect(given).toContainText("in the console");
});

/** Bidirectional and control characters, which must not reach the page as they are. */
const MARKS = ["\u202e", "\u2066", "\u0007", "\u001b"];

/** What an attacker may have put in front of an agent. */
const HOSTILE = [
  "<script>window.stolen = true</script>",
  '<img src="x" onerror="window.stolen = true">',
  '<a href="javascript:window.stolen = true">here</a> [there](javascript:window.stolen=true)',
  "\u202egnp.exe\u2066 \u200b \u0007 \u001b[31mred",
  "<svg/onload=window.stolen=true> <iframe srcdoc='<script>parent.stolen=true</script>'></iframe>",
].join("\n");

test("a trace full of markup and marks shows as text", async ({ page, api, open }) => {
  const hostile = run(HOSTILE);
  const call = { id: HOSTILE, type: "function", function: { name: HOSTILE, arguments: HOSTILE } };
  const { trace_id } = await api.post("traces", {
    ...hostile,
    trajectory: [
      { role: "user", content: HOSTILE },
      { role: "assistant", content: [{ type: "text", text: HOSTILE }], tool_calls: [call] },
      { role: "tool", tool_call_id: HOSTILE, content: JSON.stringify({ [HOSTILE]: HOSTILE }) },
      { role: HOSTILE, content: HOSTILE },
    ],
    model: "<b>model</b>",
    metadata: { "<i>key</i>": HOSTILE },
    review: { result: "fail", feedback_text: HOSTILE },
  });
  await api.settled();
  const { created_memory_id } = await api.get(`traces/${trace_id}`);
  for (const view of [`traces/${trace_id}`, "traces", `memories/${created_memory_id}`, "memories"]) {
    if (page.url() === "about:blank") await open(view);
    else await page.goto(page.url().replace(/(\/p\/[^/]+\/).*/, `$1${view}`));
    await expect(page.getByText("window.stolen = true").filter({ visible: true }).first()).toBeVisible();
    expect(await page.evaluate(() => "stolen" in window), view).toBe(false);
    await expect(page.locator("main img, main iframe, main script, main a[href^=javascript]"), view).toHaveCount(0);
    const shown = (await page.locator("main").textContent()) ?? "";
    expect(
      MARKS.filter((mark) => shown.includes(mark)),
      view,
    ).toEqual([]);
  }
});
