import { expect, signIn, test } from "./fixtures";

test("an address of the console asks for a key and goes on from there", async ({ page, api, project, server }) => {
  await api.get("settings");
  await page.goto(`/p/${project}/traces?result=fail`);
  await expect(page.getByRole("heading", { name: "Sign in to Reflect" })).toBeVisible();
  await signIn(page, server.key);
  await expect(page.getByRole("heading", { name: "Traces" })).toBeVisible();
  await expect(page).toHaveURL(/\/traces\?result=fail/);
});

test("a wrong key is refused in plain words", async ({ page }) => {
  await page.goto("/sign-in");
  await page.getByLabel("API key").fill("rf_live_nobody_knows");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert").or(page.getByText(/key/i)).first()).toBeVisible();
  await expect(
    page.getByText(/not (a key|known|right|valid)|does not know|wrong|unknown|no such/i).first(),
  ).toBeVisible();
  await expect(page).toHaveURL(/sign-in/);
});

test("the key is kept for the tab alone, and is not the one that was typed", async ({ page, api, project, server }) => {
  await api.get("settings");
  await page.goto(`/p/${project}/overview`);
  await signIn(page, server.key);
  const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage }) + JSON.stringify({ ...localStorage }));
  expect(kept).not.toContain(server.key);
  expect(await page.context().cookies()).toEqual([]);
  expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => /session|key/i.test(name)))).toEqual([]);
});

test("a key that may only read sees no way to write", async ({ page, api, project }) => {
  const scopes = ["trace:read", "memory:read"];
  const { api_key } = await api.post("api-keys", { label: "reader", scopes });
  await page.goto(`/p/${project}/traces`);
  await signIn(page, api_key);
  const pages = page.getByRole("navigation", { name: "Pages" });
  await expect(pages.getByRole("link", { name: "Traces" })).toBeVisible();
  await expect(pages.getByRole("link", { name: "Review" })).toBeHidden();
  await expect(pages.getByRole("link", { name: "Skill" })).toBeHidden();
  await expect(page.getByRole("link", { name: "Review", exact: true })).toHaveCount(0);
});
