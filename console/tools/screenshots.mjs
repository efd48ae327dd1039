// Pictures of every page, light and dark, wide and phone: `node tools/screenshots.mjs [NAME…]` into `target/screenshots`.
import { mkdirSync } from "node:fs";
import { Api } from "./api.mjs";
import { launch, open, settled } from "./browser.mjs";
import { seedDemo } from "./seed/demo.mjs";
import { Server } from "./server.mjs";
import { views } from "./views.mjs";

const FOLDER = new URL("../../target/screenshots", import.meta.url).pathname;
const PROJECT = "shop-agents";
const SCREENS = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

const wanted = process.argv.slice(2);
const server = await Server.start({ settableClock: true });
const browser = await launch();
try {
  const api = new Api(server.url, server.key, PROJECT);
  await seedDemo(api, { setClock: (secondsAgo) => server.setClock(secondsAgo) });
  for (const name of ["docs-search", "onboarding"]) await api.in(name).get("settings");
  mkdirSync(FOLDER, { recursive: true });
  for (const [screen, viewport] of Object.entries(SCREENS)) {
    for (const colorScheme of ["light", "dark"]) await takeAll(api, { screen, viewport, colorScheme });
  }
} finally {
  await browser.close();
  await server.remove();
}

async function takeAll(api, { screen, viewport, colorScheme }) {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    deviceScaleFactor: screen === "phone" ? 2 : 1,
  });
  const page = await context.newPage();
  const take = async (name) => {
    await settled(page);
    await page.screenshot({ path: `${FOLDER}/${name}-${screen}-${colorScheme}.png` });
  };
  const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
  await page.goto(`${server.url}/sign-in`);
  if (isWanted("sign-in")) await take("sign-in");
  if (isWanted("first-trace")) {
    await open(page, api.in("onboarding"), "overview");
    await take("first-trace");
    await page.evaluate(() => sessionStorage.clear());
  }
  for (const [name, path] of await views(api)) {
    if (!isWanted(name)) continue;
    await open(page, api, path);
    await take(name);
  }
  await context.close();
}
