import { expect, run, test } from "./fixtures";

const TASK = "Find out where order 4411 is";

test("from an empty project to the first memory", async ({ page, api, open }) => {
  await api.get("settings");
  await open("overview");
  await expect(page.getByText("curl").first()).toBeVisible();
  const { trace_id } = await api.post("traces", run(TASK));
  // The page turns live by itself.
  await expect(page.getByText("curl")).toHaveCount(0);
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Traces" }).click();
  await page.getByRole("link", { name: TASK }).click();
  await expect(page).toHaveURL(new RegExp(trace_id));
  await page.getByRole("button", { name: "Fail", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Feedback").fill("Say which carrier has it. Call track_parcel.");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(dialog).toBeHidden();
  await expect(page.getByText(/Call track_parcel/).first()).toBeVisible();
  await expect.poll(async () => (await api.get("memories")).length).toBe(1);
  const { review } = await api.get(`traces/${trace_id}`);
  expect(review).toMatchObject({ result: "fail", source: "console" });
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Memories" }).click();
  await expect(page.getByText(TASK).filter({ visible: true }).first()).toBeVisible();
});
