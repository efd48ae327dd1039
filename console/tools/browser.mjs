// Chromium, signed in.
import { chromium } from "@playwright/test";

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
    env: { ...process.env, FONTCONFIG_FILE: new URL("fonts.conf", import.meta.url).pathname },
  });
}

/** Opens a view of a project, signing in where it asks for that. */
export async function open(page, api, view) {
  await page.goto(`${api.url}/p/${api.project}/${view}`);
  const key = page.getByLabel("API key", { exact: true });
  await page.getByRole("navigation", { name: "Pages" }).or(key).first().waitFor();
  if (!(await key.isVisible())) return;
  await key.fill(api.key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await key.waitFor({ state: "hidden" });
}

/** Waits until nothing is loading any more. A live stream stays open, so the network is never idle. */
export async function settled(page) {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.waitForFunction(
    () => !document.querySelector("[aria-busy=true], [role=status][aria-label=Loading], .animate-pulse"),
  );
}
