import { expect, test } from "./fixtures";

const MOST = 350 * 1024;

test("a first visit loads less than 350 KB", async ({ page, api, open }) => {
  await api.get("settings");
  const sizes: Promise<number>[] = [];
  page.on("response", (response) => {
    if (new URL(response.url()).pathname.startsWith("/assets/")) {
      sizes.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize }) => responseBodySize),
      );
    }
  });
  await open("overview");
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  console.log(`a first visit loads ${(total / 1024).toFixed(0)} KB in ${sizes.length} files`);
  expect(total).toBeGreaterThan(50 * 1024);
  expect(total).toBeLessThan(MOST);
});
