import { expect, onTestFinished, test } from "vitest";
import { Chromium } from "../../scripts/check-package/chromium.ts";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { createSchools, memoryTokens } from "../../src/schools/index.js";
import { needs } from "../support/tools.ts";

async function start() {
  const redirectUri = "http://127.0.0.1:1/callback";
  const sandbox = createSandbox({
    size: "small",
    manners: { iss: "sent" },
    oauth: { clientId: '<b>"Agency" & sons</b>', clientSecret: "secret", redirectUri },
  });
  const server = await listen(sandbox);
  onTestFinished(() => server.close());
  const tokens = memoryTokens();
  const { clientId } = sandbox.oauth;
  const schools = createSchools({ clientId, clientSecret: "secret", redirectUri, tokens });
  const chromium = await Chromium.launch();
  onTestFinished(() => chromium.close());
  const observed = await chromium.open(await schools.authorizeUrl(server.url));
  // Nothing listens at the callback's address, because only the address itself matters.
  const callback = Promise.withResolvers<string>();
  await observed.page.route(`${redirectUri}**`, (route) => {
    callback.resolve(route.request().url());
    return route.fulfill({ body: "back" });
  });
  return { schools, server, page: observed.page, callback: callback.promise };
}

test("a user of the school consents with one click", needs("chromium"), async () => {
  const { schools, server, page, callback } = await start();
  expect(await page.title()).toBe('<b>"Agency" & sons</b> asks for access');
  expect(await page.locator("b").count()).toBe(0);
  await page.getByRole("button", { name: "Agree" }).click();
  expect(await schools.connect(await callback)).toMatchObject({ school: server.url });
  expect((await (await schools.client(server.url)).accounts.get(1)).id).toBe(1);
});

test("a user of the school refuses with one click", needs("chromium"), async () => {
  const { schools, page, callback } = await start();
  await page.getByRole("button", { name: "Refuse" }).click();
  await expect(schools.connect(await callback)).rejects.toThrow("the school returned the error access_denied");
  expect(await schools.list()).toEqual([]);
});
