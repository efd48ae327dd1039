import { expect, run, test } from "./fixtures";

test("keys lead everywhere, and the help sheet lists them", async ({ page, api, open }) => {
  await api.get("settings");
  await open("overview");
  await page.getByRole("main").focus();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("Command palette");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  for (const [keys, address] of [
    ["gt", "traces"],
    ["gm", "memories"],
    ["gk", "skill"],
    ["gs", "settings"],
    ["go", "overview"],
  ]) {
    for (const key of keys ?? "") await page.keyboard.press(key);
    await expect(page).toHaveURL(new RegExp(`/${address}`));
  }
});

test("the focus moves to the heading of the page that one goes to", async ({ page, api, open }) => {
  const { trace_id } = await api.post("traces", run("A task to look at"));
  await open("overview");
  const focused = (name: string) => expect(page.getByRole("heading", { level: 1, name })).toBeFocused();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Traces" }).click();
  await focused("Traces");
  await page.getByRole("link", { name: "A task to look at" }).click();
  await expect(page).toHaveURL(new RegExp(trace_id));
  await focused("A task to look at");
  await page.keyboard.press("g");
  await page.keyboard.press("m");
  await focused("Memories");
  await page.goBack();
  await focused("A task to look at");
});

test("a list is walked by keys, and is as it was when one comes back", async ({ page, api, open }) => {
  for (let number = 1; number <= 60; number++) await api.post("traces", run(`Count to ${number}`));
  await api.post("traces", run("Something else"));
  await open("traces?text=Count");
  await page.getByRole("main").focus();
  for (let step = 0; step < 40; step++) await page.keyboard.press("j");
  const row = page.getByRole("link", { name: /^Count to 21\b/ });
  await expect(row).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Count to 21" })).toBeVisible();
  await page.goBack();
  await expect(row).toBeInViewport();
  await row.click();
  await page.getByRole("main").getByRole("link", { name: "Traces" }).click();
  await expect(page).toHaveURL(/text=Count/);
  await expect(page.getByText("Something else")).toHaveCount(0);
});

test("the command palette goes to a page", async ({ page, api, open }) => {
  await api.get("settings");
  await open("overview");
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("dialog").getByRole("combobox").fill("Memories");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/memories/);
});

test("dark mode is kept, and follows the system until then", async ({ page, api, open }) => {
  await api.get("settings");
  await page.emulateMedia({ colorScheme: "dark" });
  await open("overview");
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await background();
  await page.emulateMedia({ colorScheme: "light" });
  await expect.poll(background).not.toBe(dark);
});

test("on a phone the pages are in a bar at the bottom, and nothing is wider than the screen", async ({
  page,
  api,
  open,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await api.post("traces", run("A task with aVeryLongWordThatDoesNotWantToBreakAnywhereAndGoesOnAndOnAndOnAndOnAndOn"));
  await open("overview");
  for (const name of ["Traces", "Review", "Memories", "Overview"]) {
    await page.getByRole("link", { name, exact: true }).last().click();
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, name).toBeLessThanOrEqual(0);
  }
});

test("a server that goes away is said to be gone, and is used again when it is back", async ({
  page,
  api,
  open,
  server,
}) => {
  await api.post("traces", run("Before the server went"));
  await open("traces");
  await expect(page.getByText("Before the server went")).toBeVisible();
  await server.down();
  await expect(
    page
      .getByText(/server/i)
      .filter({ hasText: /gone|reach|answer|connect/i })
      .first(),
  ).toBeVisible();
  await expect(page.getByText("Before the server went")).toBeVisible();
  await server.up();
  await api.post("traces", run("After it came back"));
  await expect(page.getByText("After it came back")).toBeVisible({ timeout: 40_000 });
});
