import { expect, learn, test } from "./fixtures";

test("a search is an agent's query, and the sliders change it", async ({ page, api, open, project }) => {
  await learn(api, "Refund a damaged parcel", "Open a claim first.");
  await learn(api, "Refund a parcel that was lost", "Ask the carrier first.");
  await learn(api, "Write the changelog of a release", "Leave merges out.");
  await open("search");
  await page.getByRole("textbox", { name: "Task" }).fill("Refund a broken parcel");
  await page.keyboard.press("Enter");
  const found = page.getByLabel("Memories found");
  await expect(found.getByText("Open a claim first.").first()).toBeVisible();
  await expect(found.getByText("Ask the carrier first.").first()).toBeVisible();
  const limit = page.getByRole("slider", { name: "Limit" });
  await limit.focus();
  await page.keyboard.press("Home");
  await expect(found.getByText("Ask the carrier first.")).toHaveCount(0);
  await expect(found.getByText("Open a claim first.").first()).toBeVisible();
  // The address holds it all.
  const address = page.url();
  await page.goto(`/p/${project}/memories`);
  await page.goto(address);
  await expect(found.getByText("Open a claim first.").first()).toBeVisible();
  await expect(found.getByText("Ask the carrier first.")).toHaveCount(0);
});
