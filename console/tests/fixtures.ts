import { test as base, expect, type Page } from "@playwright/test";
import { Api } from "../tools/api.mjs";
import { settled } from "../tools/browser.mjs";
import { Server } from "../tools/server.mjs";

export { expect };

type Fixtures = {
  /** A project of the test's own. */
  project: string;
  /** Calls in that project, with the master key. */
  api: Api;
  /** Opens a view of the project, signed in with a key that may do everything in it. */
  open: (view: string) => Promise<void>;
};

/** A real server for each worker, a project for each test. */
export const test = base.extend<Fixtures, { server: Server }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what a fixture needs from the pattern
    async ({}, use) => {
      const server = await Server.start();
      await use(server);
      await server.remove();
    },
    { scope: "worker" },
  ],
  baseURL: async ({ server }, use) => use(server.url),
  // biome-ignore lint/correctness/noEmptyPattern: as above
  project: async ({}, use, info) => use(`test-${info.testId.slice(-8)}-${info.repeatEachIndex}-${info.retry}`),
  api: async ({ server, project }, use) => use(new Api(server.url, server.key, project)),
  open: async ({ page, project, api }, use) =>
    use(async (view) => {
      await page.goto(`/p/${project}/${view}`);
      await signIn(page, await api.newKey("console"));
      // The address changes before the page is there; a key pressed until then is heard by nobody.
      await settled(page);
    }),
});

/** Signs in on the page that asks for it. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).not.toHaveURL(/sign-in/);
}

/** A run with a tool call. */
export function run(task: string): Record<string, unknown> {
  return {
    task,
    trajectory: [
      { role: "user", content: task },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "c1",
            type: "function",
            function: { name: "look_up", arguments: '{"order": 4411, "with": ["lines"]}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: '{"order": 4411, "status": "delivered"}' },
      { role: "assistant", content: "Order 4411 was delivered." },
    ],
    model: "gpt-5.4-mini",
  };
}

/** A memory about this task; its id. */
export async function learn(api: Api, task: string, guidance: string, result = "pass"): Promise<string> {
  const review = { result, reflection: { summary: `About ${task}`, guidance } };
  const { trace_id } = await api.post("traces", { ...run(task), review });
  return (await api.get(`traces/${trace_id}`)).created_memory_id;
}
