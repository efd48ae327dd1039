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
