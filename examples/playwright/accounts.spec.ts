// accounts.spec.ts
import { expect, test } from "@playwright/test";

const control = "http://127.0.0.1:4010/__sandbox";

test.beforeEach(async ({ request }) => {
  await request.post(`${control}/reset`);
});

test("shows the accounts", async ({ page, request }) => {
  await request.post(`${control}/data`, { data: { accounts: [{ name: "Example Ltd" }, { name: "Sample School" }] } });
  await page.goto("/");
  await expect(page.locator("body")).toHaveText("Example Ltd\nSample School");

  const [call] = await (await request.get(`${control}/calls?operation=accounts.list`)).json();
  expect(call).toMatchObject({ query: { per_page: 20 }, status: 200 });
});

test("says that the service refuses the key", async ({ page, request }) => {
  await request.post(`${control}/faults`, { data: { operation: "accounts.list", status: 403 } });
  await page.goto("/");
  await expect(page.locator("body")).toHaveText("The accounts cannot be shown now");
});
