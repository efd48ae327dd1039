import { defineConfig } from "@playwright/test";

/** Each file has servers of its own, so that files can run side by side. */
export default defineConfig({
  testDir: "tests",
  outputDir: "../target/console-tests",
  fullyParallel: false,
  workers: Number(process.env.CONSOLE_WORKERS ?? 2),
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  use: {
    locale: "en-GB",
    timezoneId: "UTC",
    // Pictures of every step took two fifths of all that the tests compute.
    trace: { mode: "retain-on-failure", screenshots: false },
    launchOptions: { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] },
  },
});
