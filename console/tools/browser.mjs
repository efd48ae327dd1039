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
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  if (new URL(page.url()).pathname !== "/sign-in") return;
  await page.getByLabel("API key").fill(await api.newKey("console"));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => url.pathname !== "/sign-in");
}

/** Waits until nothing is loading any more. A live stream stays open, so the network is never idle. */
export async function settled(page) {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.waitForFunction(
    () => !document.querySelector("[aria-busy=true], [role=status][aria-label=Loading], .animate-pulse"),
  );
}
