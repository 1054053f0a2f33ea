import { expect, test } from "vitest";
import { MainClient } from "../../../src/index.js";
import { createProxyHandler } from "../../../src/proxy/index.js";
import { createSandbox } from "../../../src/sandbox/index.js";
import { fieldOf } from "../../../src/work/fields/path.js";
import { readText } from "../../../src/work/fields/text.js";

// The sandbox checks clients, so it reads values by itself: only in the spelling of the service's documents.
test.each([
  ["integer", ["7", "12"], ["+7", "07x", "1e3", "0x1", "seven", " 7"]],
  ["flag", ["true", "false"], ["yes", "no", "1", "0", "TRUE", "ja"]],
] as const)("the sandbox accepts an %s in one spelling only", async (kind, canonical, others) => {
  const { fetch, baseUrl, apiKey } = createSandbox({ size: "small", rateLimit: false });
  const path = kind === "flag" ? "enrollments?with_canceled" : "catalog/variants?product_id";
  const statusOf = async (text: string) =>
    (
      await fetch(`${baseUrl}/api/v1/${path}=${encodeURIComponent(text)}`, {
        headers: { Authorization: `Bearer ${apiKey}` },
      })
    ).status;
  for (const text of canonical) {
    expect([text, await statusOf(text)]).toEqual([text, 200]);
    const field = { ...fieldOf("x", ["x"], undefined), kind };
    expect(readText(field, text)).toEqual({ value: JSON.parse(text) });
  }
  for (const text of others) expect([text, await statusOf(text)]).toEqual([text, 400]);
});

// The proxy accepts one spelling, and no conditions or columns, because those would read a whole list for one request.
test.each([
  "where=status%3Dopen",
  "having=status%3Dopen",
  "columns=id",
  "product_id=today",
  "product_id=yes",
  "product_id=1e3",
  "product_id=0x1",
  "product_id=07",
  "product_id=%2B1",
  "product_id=9007199254740993",
  "per_page=10&per_page=20",
  "__proto__=1",
])("the proxy refuses %s", async (query) => {
  const client = new MainClient(createSandbox({ size: "small", rateLimit: false }));
  const handler = createProxyHandler(client, { allow: ["catalogVariants.list"] });
  const ask = (search: string) => handler(new Request(`https://page.example/api/v1/catalog/variants?${search}`));
  expect((await ask("product_id=1")).status).toBe(200);
  const response = await ask(query);
  expect(response.status).toBe(400);
});
