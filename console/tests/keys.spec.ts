import { Api } from "../tools/api.mjs";
import { expect, test } from "./fixtures";

test("a key is made, works, and works no more once it is revoked", async ({ page, api, project, open, server }) => {
  await api.get("settings");
  await open("settings");
  await page.getByRole("button", { name: "New key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("night shift");
  await dialog.getByRole("button", { name: /create|make/i }).click();
  await expect(dialog.getByText(/rf_live_\S+/).first()).toBeVisible();
  const secret =
    (
      await dialog
        .getByText(/rf_live_\S+/)
        .first()
        .textContent()
    )?.trim() ?? "";
  const holder = new Api(server.url, secret, project);
  expect(await holder.query("anything", 1)).toMatchObject({ memories: [] });
  await dialog
    .getByRole("button", { name: /done|close/i })
    .first()
    .click();
  await expect(page.getByText("night shift").first()).toBeVisible();
  await page.getByRole("button", { name: "Revoke night shift" }).click();
  await page.getByRole("dialog").or(page.getByRole("alertdialog")).getByRole("button", { name: "Revoke" }).click();
  await expect(page.getByRole("button", { name: "Revoke night shift" })).toBeHidden();
  await expect(holder.query("anything", 1)).rejects.toThrow("401");
});
