import { expect, learn, run, test } from "./fixtures";

test("a project that holds tasks out is told whether memories help", async ({ page, api, open }) => {
  await learn(api, "Refund an order", "Look the order up first.");
  await open("overview");
  await expect(page.getByRole("region", { name: "With and without memories" })).toBeVisible();
  await api.patch("settings", { holdout: 0.5 });
  const card = page.getByRole("region", { name: "Whether memories help" });
  await expect(card.getByText("50 % of the tasks do without, at random")).toBeVisible();
  await expect(card.getByText("not known yet", { exact: true })).toBeVisible();
  for (let number = 0; number < 60; number += 1) {
    const task = `Refund order ${number}`;
    const found = await api.post("memory/query", { task, similarity_threshold: -1 });
    const review = { result: found.length > 0 ? "pass" : "fail", reflection: { summary: "It went as it went." } };
    const retrieved_memory_ids = found.map((memory: { id: string }) => memory.id);
    await api.post("traces", { ...run(task), retrieved_memory_ids, review });
  }
  await expect(card.getByText("memories help", { exact: true })).toBeVisible();
  await expect(card.getByText(/^Memories help\. 100 % of \d+ runs with memories passed/)).toBeVisible();
});
