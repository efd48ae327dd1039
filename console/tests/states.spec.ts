import { Api } from "../tools/api.mjs";
import { Provider } from "../tools/provider.mjs";
import { failedLesson, judgedRuns, modelRefuses, switchUnderWay } from "../tools/seed/states.mjs";
import { Server } from "../tools/server.mjs";
import { test as base, expect, signIn } from "./fixtures";

/** A server that has models to choose from, and who answers for them. */
const test = base.extend<{ provider: Provider }, { server: Server; ownProvider: Provider }>({
  ownProvider: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what a fixture needs from the pattern
    async ({}, use) => {
      const provider = await Provider.start();
      await use(provider);
      await provider.stop();
    },
    { scope: "worker" },
  ],
  server: [
    async ({ ownProvider }, use) => {
      const server = await Server.start({ arguments: ownProvider.arguments });
      await use(server);
      await server.remove();
    },
    { scope: "worker" },
  ],
  provider: async ({ ownProvider }, use) => {
    ownProvider.refuses = false;
    await use(ownProvider);
    ownProvider.embedAll();
  },
});

test("the judge's report says how often it agreed with people", async ({ page, api, open }) => {
  await judgedRuns(api, { count: 12 });
  await open("settings?section=judge");
  await expect(page.getByText(/agreement on \d+ runs?/)).toBeVisible();
  const matrix = page.getByRole("table", { name: "Verdicts of the judge against the reviews of others" });
  await expect(matrix.getByRole("rowheader", { name: "judge: pass" })).toBeVisible();
  const { confusion_matrix } = await api.get("judge/report");
  const row = matrix.getByRole("row").filter({ hasText: "judge: pass" });
  await expect(row.getByRole("cell").first()).toHaveText(String(confusion_matrix.pass.pass));
});

test("a switch of the embedder shows how far it is, and ends", async ({ page, api, open, provider }) => {
  await judgedRuns(api);
  await switchUnderWay(api, provider);
  await open("settings?section=models");
  await expect(page.getByRole("progressbar", { name: "Memories embedded" })).toBeVisible();
  await expect(page.getByText(/32 of \d+ memories/)).toBeVisible();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Overview" }).click();
  await expect(page.getByRole("link", { name: /on the way to .*text-embedding-3-small/ })).toBeVisible();
  provider.embedAll();
  await expect(page.getByRole("link", { name: /on the way to/ })).toHaveCount(0, { timeout: 60_000 });
  expect((await api.get("settings")).embedder).toContain("text-embedding-3-small");
});

test("a lesson that failed says why, and is tried again", async ({ page, api, open, provider }) => {
  const trace = await failedLesson(api, provider);
  await open(`traces/${trace}`);
  const problems = page.getByRole("region", { name: "Problems" });
  await expect(problems.getByText("No lesson after 2 attempts")).toBeVisible();
  await expect(problems.getByText(/Incorrect API key provided/)).toBeVisible();
  provider.refuses = false;
  await problems.getByRole("button", { name: "Try again" }).click();
  await expect(problems).toBeHidden();
  await expect.poll(async () => (await api.get("memories")).length).toBe(1);
});

test("a model that does not answer is loud on the overview", async ({ page, api, project, server, provider }) => {
  await modelRefuses(api, provider);
  await page.goto(`/p/${project}/overview`);
  await signIn(page, server.key);
  const alert = page.getByRole("alert").filter({ hasText: "does not answer" });
  await expect(alert).toContainText("openai/gpt-5.4");
  await expect(alert).toContainText("Incorrect API key provided");
  await expect(page.getByText("degraded")).toBeVisible();
});

test("a server that is not ready says on the overview what is wrong", async ({ page, provider }) => {
  // Of its own: what it has given up on stands for the whole server.
  const server = await Server.start({ arguments: provider.arguments });
  try {
    const api = new Api(server.url, server.key, "imports");
    await failedLesson(api, provider);
    await modelRefuses(api, provider);
    await expect.poll(async () => (await fetch(`${server.url}/ready`)).status).toBe(503);
    await page.goto(`${server.url}/p/imports/overview`);
    await signIn(page, server.key);
    await expect(page.getByRole("alert").filter({ hasText: "Lessons are not written" })).toBeVisible();
    await expect(page.getByText("not ready")).toBeVisible();
  } finally {
    await server.remove();
  }
});
