import { expect, learn, test } from "./fixtures";

test("a skill is created, and refined after another lesson", async ({ page, api, open }) => {
  for (const number of [1, 2, 3, 4, 5]) await learn(api, `Question ${number}`, `Advice number ${number}.`);
  await open("skill");
  await page
    .getByRole("button", { name: /create/i })
    .first()
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await expect(page.getByText("Version 1 is written", { exact: true })).toBeVisible();
  await expect(page.getByText("Advice number 3.").first()).toBeVisible();
  await learn(api, "Another question", "Advice that came later.");
  await page.getByRole("button", { name: /refine/i }).click();
  await page.getByRole("dialog").getByLabel("Lessons of passed runs").fill("10");
  await page.getByRole("dialog").getByRole("button", { name: "Write version 2" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect.poll(async () => (await api.get("skill")).version).toBe(2);
  await expect(page.getByText("Advice that came later.").first()).toBeVisible();
});
