// with-msw.test.mjs
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { MainClient } from "education-admin-sdk";
import { createSandbox } from "education-admin-sdk/sandbox";
import { handlers } from "education-admin-sdk/sandbox/msw";
import { setupServer } from "msw/node";
import { openAmount } from "./open-amount.mjs";

const baseUrl = "https://school.example";
const sandbox = createSandbox({ apiKey: "key", size: 20 });
const server = setupServer(...handlers(sandbox, { baseUrl }));
beforeAll(() => server.listen());
beforeEach(() => sandbox.reset());
afterAll(() => server.close());

test("the application's own client reaches the sandbox", async () => {
  const client = new MainClient({ baseUrl, apiKey: "key" });
  expect(await openAmount(client)).toBeGreaterThan(0);
});
