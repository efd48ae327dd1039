// Pictures of every page, light and dark, wide and phone: `node tools/screenshots.mjs [NAME…]` into `target/screenshots`.
import { mkdirSync } from "node:fs";
import { Api } from "./api.mjs";
import { launch, open, settled } from "./browser.mjs";
import { Provider } from "./provider.mjs";
import { seedDemo } from "./seed/demo.mjs";
import { failedLesson, judgedRuns, modelRefuses, switchUnderWay } from "./seed/states.mjs";
import { Server } from "./server.mjs";
import { dialogs, views } from "./views.mjs";

const FOLDER = new URL("../../target/screenshots", import.meta.url).pathname;
const PROJECT = "shop-agents";
const SCREENS = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

const wanted = process.argv.slice(2);
const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
const provider = await Provider.start();
const server = await Server.start({ settableClock: true, arguments: provider.arguments });
const browser = await launch();
try {
  mkdirSync(FOLDER, { recursive: true });
  const api = new Api(server.url, server.key, PROJECT);
  await takeAll([
    { api, page: ["sign-in", "/sign-in"] },
    { api, page: ["welcome", "/", signIn] },
  ]);
  await seedDemo(api, { setClock: (secondsAgo) => server.setClock(secondsAgo) });
  for (const name of ["docs-search", "onboarding"]) await api.in(name).get("settings");
  const pages = [...(await views(api)), ...(await dialogs(api))].map((page) => ({ api, page }));
  await takeAll([...firstSteps(api.in("onboarding")), ...pages]);
  await takeAll(await rareStates(api));
} finally {
  await browser.close();
  await provider.stop();
  await server.remove();
}

/** What whoever starts sees: an empty project, another one, a key. */
function firstSteps(api) {
  return [
    { api, page: ["first-trace", "overview"] },
    { api, page: ["new-project", "overview", newProject] },
    { api, page: ["made-key", "settings", makeKey] },
  ];
}

async function signIn(page) {
  await page.getByLabel("API key").fill(server.key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Welcome to Reflect" }).waitFor();
}

async function newProject(page) {
  const more = page.getByRole("button", { name: "More" });
  if (await more.isVisible()) await more.click();
  await page.getByLabel("Project", { exact: true }).filter({ visible: true }).selectOption("New project…");
  await page.getByRole("dialog", { name: "New project" }).waitFor();
}

async function makeKey(page) {
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name", { exact: true }).fill("nightly import");
  await page.getByRole("button", { name: "Make key" }).click();
  await page.getByRole("dialog", { name: "Your new key" }).waitFor();
}

/** What few see, and those who do want to understand: made one after the other, since some of them hold for the whole server. */
async function rareStates(api) {
  const night = api.in("night-shift");
  await judgedRuns(night, { reviewer: night.withKey((await night.signIn()).api_key) });
  await switchUnderWay(night, provider);
  const failed = api.in("imports");
  const trace = await failedLesson(failed, provider);
  await modelRefuses(failed, provider);
  return [
    { api: night, page: ["judge-report", "settings?section=judge"] },
    { api: night, page: ["switch", "settings?section=models"] },
    { api: failed, page: ["failed-lesson", `traces/${trace}`] },
    { api: failed, page: ["problems", "overview", (page) => page.getByRole("alert").first().waitFor()] },
  ];
}

async function takeAll(pages) {
  for (const [screen, viewport] of Object.entries(SCREENS)) {
    for (const colorScheme of ["light", "dark"]) await takeEach(pages, { screen, viewport, colorScheme });
  }
}

async function takeEach(pages, { screen, viewport, colorScheme }) {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    deviceScaleFactor: screen === "phone" ? 2 : 1,
  });
  const page = await context.newPage();
  const take = (name) => page.screenshot({ path: `${FOLDER}/${name}-${screen}-${colorScheme}.png` });
  for (const {
    api,
    page: [name, path, show],
  } of pages) {
    if (!isWanted(name)) continue;
    await (path.startsWith("/") ? page.goto(server.url + path) : open(page, api, path));
    await settled(page);
    await show?.(page);
    await take(name);
  }
  await context.close();
}
