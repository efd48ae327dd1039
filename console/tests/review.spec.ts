import { expect, run, test } from "./fixtures";

const TRACES = 50;

test("fifty traces are reviewed by keys, one of them is taken back", async ({ page, api, open }) => {
  for (let number = 1; number <= TRACES; number++) await api.post("traces", run(`Task number ${number}`));
  await open("review");
  const table = page.getByRole("region", { name: "Trace under review" });
  const verdict = page.getByRole("region", { name: "Verdict" });
  await expect(table.getByText(`Task number ${TRACES}`).first()).toBeVisible();
  for (let number = TRACES; number >= 1; number--) {
    await expect(table.getByText(`Task number ${number}`, { exact: true }).first()).toBeVisible();
    if (number % 5 === 0) {
      await page.keyboard.press("f");
      await verdict.getByLabel("Feedback").fill(`Number ${number} is a multiple of five`);
      await page.keyboard.press("Enter");
    } else {
      await page.keyboard.press("p");
    }
    if (number === 20) {
      await expect(table.getByText("Task number 19", { exact: true }).first()).toBeVisible();
      await page.keyboard.press("u");
      await expect(table.getByText("Task number 20", { exact: true }).first()).toBeVisible();
      await page.keyboard.press("p");
    }
  }
  await expect(page.getByText("Nothing is left to review")).toBeVisible();
  const reviewed = async (result: string) => (await api.get(`traces?result=${result}&view=summary&limit=100`)).length;
  await expect.poll(() => reviewed("fail")).toBe(TRACES / 5 - 1);
  await expect.poll(() => reviewed("pass")).toBe(TRACES - TRACES / 5 + 1);
  await expect.poll(async () => (await api.get("traces?review_status=pending&limit=1")).length).toBe(0);
});
