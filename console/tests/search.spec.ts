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

test("what is compared can be chosen, for one search and for the project", async ({ page, api, open, project }) => {
  const lesson = "Verify that the order exists before you process a return.";
  await learn(api, "Ticket 4711", lesson);
  await open(`search?task=${encodeURIComponent("Process the return of an order")}`);
  const found = page.getByLabel("Memories found");
  const compared = (name: string) => page.getByRole("radio", { name, exact: true });
  await expect(compared("Both")).toBeChecked();
  await expect(found.getByText(lesson)).toBeVisible();
  await compared("Task").click();
  const why =
    /Because the nearest of the project's memories \(1\) has a similarity of 0\.\d\d, below the floor of 0\.40/;
  await expect(found.getByText(why)).toBeVisible();
  await expect(page).toHaveURL(/match=task/);
  await compared("Lesson").click();
  await expect(found.getByText(lesson)).toBeVisible();
  const address = page.url();
  await page.goto(`/p/${project}/settings?section=ranking`);
  await page.getByRole("combobox", { name: "Compared with" }).selectOption({ label: "Task" });
  // A look at another section loses nothing.
  await page.getByRole("tab", { name: "Models" }).click();
  await page.getByRole("tab", { name: "Ranking" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await api.get("settings")).match).toBe("task");
  // The address wins over the project; without it the project's own applies.
  await page.goto(address);
  await expect(found.getByText(lesson)).toBeVisible();
  await page.getByRole("button", { name: "Reset" }).click();
  await expect(compared("Task")).toBeChecked();
  await expect(found.getByText(why)).toBeVisible();
  await page.goto(`/p/${project}/settings?section=ranking`);
  await page.getByRole("combobox", { name: "Compared with" }).selectOption({ label: "As the server’s, both" });
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await api.get("settings")).match).toBe(null);
});

test("a project without memories says so", async ({ page, open }) => {
  await open(`search?task=${encodeURIComponent("Water the plants on the balcony")}`);
  await expect(page.getByText("Because the project has no memories yet that a query can find.")).toBeVisible();
});
