import { expect, learn, run, test } from "./fixtures";

test("an edited memory says its new words, a disabled one is shown to no query", async ({ page, api, open }) => {
  const id = await learn(api, "Refund a damaged parcel", "Ask for a photo first.");
  await open(`memories/${id}`);
  await expect(page.getByText("Ask for a photo first.").first()).toBeVisible();
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByLabel("Guidance").fill("Open a claim with the carrier first.");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page.getByText("Open a claim with the carrier first.").first()).toBeVisible();
  const ask = async () => (await api.query("Refund a damaged parcel", 5)).memories;
  expect((await ask())[0].guidance).toBe("Open a claim with the carrier first.");
  await page.getByRole("button", { name: "Disable" }).click();
  await expect(page.getByText("disabled", { exact: true }).first()).toBeVisible();
  await expect.poll(async () => (await ask()).length).toBe(0);
  await page.getByRole("button", { name: "Enable" }).click();
  await expect.poll(async () => (await ask()).length).toBe(1);
});

test("a memory that is pinned says so, and is unpinned again", async ({ page, api, open }) => {
  const id = await learn(api, "Refund a damaged parcel", "Ask for a photo first.");
  const isPinned = async () => (await api.get(`memories/${id}`)).pinned;
  await open(`memories/${id}`);
  await page.getByRole("button", { name: "Never leave out" }).click();
  const badge = page.getByText("never left out", { exact: true });
  await expect(badge).toBeVisible();
  expect(await isPinned()).toBe(true);
  await page.getByRole("main").getByRole("link", { name: "Memories", exact: true }).click();
  await expect(
    page.getByRole("row").filter({ hasText: "Ask for a photo first." }).getByText("never left out"),
  ).toBeVisible();
  await page.getByRole("link", { name: "Ask for a photo first." }).click();
  await page.getByRole("button", { name: "May be left out again" }).click();
  await expect(badge).toHaveCount(0);
  expect(await isPinned()).toBe(false);
});

test("memories that say the same are one row, which opens all of them", async ({ page, api, open }) => {
  const review = { result: "pass", reflection: { guidance: "Ask for a photo first." } };
  for (const parcel of [1, 2, 3]) {
    await api.post("traces", { ...run(`Refund parcel ${parcel}`), review });
  }
  await learn(api, "Refund a late parcel", "Ask the carrier first.");
  await open("memories");
  const rows = page.getByRole("row").filter({ hasText: "first." });
  await expect(rows).toHaveCount(2);
  await expect(page.getByText("4 memories", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "3 runs that say the same" }).click();
  await expect(rows).toHaveCount(3);
  await expect(page.getByText("Ask the carrier first.")).toHaveCount(0);
  await page.getByRole("button", { name: "Remove that say the same" }).click();
  await expect(rows).toHaveCount(2);
});
