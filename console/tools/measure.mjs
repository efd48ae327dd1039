// First paint of every page, scrolling and statistics, with a large project: `node tools/measure.mjs [--traces N] [--memories N]`.
import { parseArgs } from "node:util";
import { Api } from "./api.mjs";
import { launch, open, settled } from "./browser.mjs";
import { seedLarge } from "./seed/large.mjs";
import { Server } from "./server.mjs";
import { views } from "./views.mjs";

const { values } = parseArgs({
  options: { traces: { type: "string", default: "100000" }, memories: { type: "string", default: "20000" } },
});
const server = await Server.start({ arguments: ["--queue-max-age", "86400"] });
const browser = await launch();
try {
  const api = new Api(server.url, server.key, "large");
  const start = performance.now();
  await seedLarge(api, { traces: Number(values.traces), memories: Number(values.memories) });
  console.log(`${values.traces} traces, ${values.memories} memories, seeded in ${seconds(start)} s`);
  console.log(`${await statistics(api)}\n`);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await open(page, api, "traces");
  console.log("page          first paint   its data there");
  for (const [name, path] of await views(api)) {
    await page.goto(`${api.url}/p/${api.project}/${path}`, { waitUntil: "commit" });
    await settled(page);
    const [painted, ready] = await page.evaluate(() => [
      performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
      performance.now(),
    ]);
    console.log(`${name.padEnd(12)} ${painted.toFixed(0).padStart(9)} ms ${ready.toFixed(0).padStart(13)} ms`);
  }
  for (const view of ["traces", "memories"]) console.log(await scroll(page, api, view));
} finally {
  await browser.close();
  await server.remove();
}

/** How long the figures of the project take, asked for twenty times; what changed in between makes each be counted anew. */
async function statistics(api) {
  const times = [];
  for (let asked = 0; asked < 20; asked++) {
    await api.post("traces", { task: `One more run, ${asked}`, trajectory: [], final_response: "done" });
    const start = performance.now();
    await api.get("statistics");
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const [least, median, most] = [0, 10, 19].map((rank) => times[rank].toFixed(0));
  return `statistics: ${median} ms at the median of 20, ${least} to ${most} ms`;
}

/** Scrolls a table for three seconds, a screen at a time, and counts frames that came late and frames without rows. */
async function scroll(page, api, view) {
  await open(page, api, view);
  await settled(page);
  const seen = await page.evaluate(async () => {
    const body = [...document.querySelectorAll("main *")].find(
      (element) =>
        element.scrollHeight > element.clientHeight + 400 && getComputedStyle(element).overflowY !== "visible",
    );
    if (!body) return null;
    const result = { frames: 0, late: 0, empty: 0, longest: 0 };
    const end = performance.now() + 3000;
    let before = performance.now();
    while (performance.now() < end) {
      body.scrollTop += 120;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const took = performance.now() - before;
      before = performance.now();
      const box = body.getBoundingClientRect();
      const middle = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      result.frames++;
      if (took > 50) result.late++;
      if (!middle?.closest("[role=row], tr")?.textContent) result.empty++;
      result.longest = Math.max(result.longest, took);
    }
    return { ...result, scrolled: body.scrollTop };
  });
  if (!seen) return `${view}: there is nothing to scroll`;
  const { frames, late, empty, longest, scrolled } = seen;
  return `${view}: ${frames} frames over ${scrolled} pixels, ${late} later than 50 ms, ${empty} without a row, longest ${longest.toFixed(0)} ms`;
}

function seconds(start) {
  return ((performance.now() - start) / 1000).toFixed(0);
}
