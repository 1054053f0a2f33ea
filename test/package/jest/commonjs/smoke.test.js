import { smoke } from "../smoke.mjs";

test("the smoke suite holds in Jest with CommonJS", async () => {
  const { SMOKE_BASE_URL: baseUrl, SMOKE_API_KEY: apiKey } = process.env;
  expect(await smoke({ baseUrl, apiKey })).toHaveLength(7);
});
