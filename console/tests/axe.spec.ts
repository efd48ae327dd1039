import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { settled } from "../tools/browser.mjs";
import { seedDemo } from "../tools/seed/demo.mjs";
import { dialogs, views } from "../tools/views.mjs";
import { expect, test } from "./fixtures";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing serious on any page, ${colorScheme}`, async ({ page, api, open, project }) => {
    test.setTimeout(300_000);
    await seedDemo(api, { days: 3, runsPerDay: [8, 8] });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.goto("/sign-in");
    await expectNothingSerious("sign-in");
    await open("overview");
    for (const [name, path] of await views(api)) {
      await page.goto(`/p/${project}/${path}`);
      await settled(page);
      await expectNothingSerious(name ?? "");
    }
    for (const [name, path, show] of await dialogs(api)) {
      await page.goto(`/p/${project}/${path}`);
      await settled(page);
      await show(page);
      await expectNothingSerious(name);
    }

    async function expectNothingSerious(name: string): Promise<void> {
      // By the debugger's way, which the page's policy does not hold for.
      const found = (await page.evaluate(`${AXE}; axe.run()`)) as AxeResults;
      const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      const words = serious.map(
        ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`,
      );
      expect(words, name).toEqual([]);
    }
  });
}
