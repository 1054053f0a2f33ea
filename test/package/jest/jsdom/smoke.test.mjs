import { expect, test } from "@jest/globals";
import { smoke } from "../smoke.mjs";

test("the smoke suite holds in Jest with jsdom", async () => {
  const { SMOKE_BASE_URL: baseUrl, SMOKE_API_KEY: apiKey } = process.env;
  expect(document.body).toBeTruthy();
  expect(await smoke({ baseUrl, apiKey, dangerouslyAllowBrowser: true })).toHaveLength(7);
});
