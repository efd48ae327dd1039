import { Server } from "../tools/server.mjs";
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

test("the printed link signs in once, and leaves no code behind", async ({ page, context }) => {
  const server = await Server.start({ inTerminal: true });
  try {
    const link = server.signInLink;
    expect(link).toMatch(/\/sign-in#code=\S+$/);
    const code = link.split("code=")[1] ?? "";
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    await page.goto(link);
    // A stranger names a project, and sees what to paste.
    await expect(page.getByRole("heading", { name: "Welcome to Reflect" })).toBeVisible();
    await page.getByRole("button", { name: "Start" }).click();
    await expect(page.getByText("Record a first run")).toBeVisible();
    expect(page.url()).not.toContain(code);
    expect(sent.filter((url) => url.includes(code))).toEqual([]);
    await page.goBack();
    expect(page.url()).not.toContain(code);
    const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));
    expect(kept).not.toContain(code);
    // What it gave is a session that ends, and not the master key.
    const { is_session, expires_at } = await page.evaluate(async () => {
      const { api_key } = JSON.parse(sessionStorage.getItem("reflect.session") ?? "{}");
      return (await fetch("/v1/session", { headers: { Authorization: `Bearer ${api_key}` } })).json();
    });
    expect(is_session).toBe(true);
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
    const second = await context.newPage();
    await second.goto(link);
    await expect(
      second
        .getByText(/link/i)
        .filter({ hasText: /used|once|expired|no longer|another/i })
        .first(),
    ).toBeVisible();
    await expect(second).toHaveURL(/sign-in/);
    expect(second.url()).not.toContain(code);
  } finally {
    await server.remove();
  }
});
