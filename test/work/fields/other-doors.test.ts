import { expect, test } from "vitest";
import { fieldsOf } from "../../../src/core/schema/traits.js";
import { MainClient } from "../../../src/index.js";
import { allOperations } from "../../../src/operations.js";
import { createProxyHandler } from "../../../src/proxy/index.js";
import { createSandbox } from "../../../src/sandbox/index.js";
import { fieldOf } from "../../../src/work/fields/path.js";
import { readText } from "../../../src/work/fields/text.js";

// The sandbox checks clients, so it reads values by itself: only in the spelling of the service's documents.
test.each([
  ["integer", ["7", "12"], ["+7", "07x", "1e3", "0x1", "seven", " 7"]],
  ["flag", ["true", "false"], ["yes", "no", "2", "+1", "TRUE", "ja"]],
] as const)("the sandbox accepts the value of an %s in documented spellings only", async (kind, canonical, others) => {
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

// Pages write the value of a number, a flag or a day in one way.
const OTHERS = ["yes", "TRUE", "1e3", "0x1", "07", "+1", "today", "today-7", "a,b", " 7", "null", ""];
const NO_TEXT = ["a\u0007b", "a\nb", "a\u202eb", "\u{e0041}"];
const lists = allOperations.filter(
  ({ method, paged, query, apis, path }) =>
    method === "GET" && paged && query && apis.includes("main") && !path.includes("{"),
);

test.each(lists.map((row) => [row.id, row] as const))(
  "the proxy reads filters of %s in one spelling",
  async (id, row) => {
    let sent = 0;
    const answer = { "content-type": "application/json" };
    const fetch = async () => {
      sent++;
      return new Response("[]", { headers: answer });
    };
    const client = new MainClient({ baseUrl: "https://school.example", apiKey: "key", rateLimit: false, fetch });
    const handler = createProxyHandler(client, { allow: [id] as never });
    for (const [name, schema] of Object.entries(fieldsOf(row.query))) {
      const { kind, isComplete } = fieldOf(name, [name], schema);
      const isFree = kind === "text" || (kind === "enumeration" && !isComplete);
      for (const text of isFree ? NO_TEXT : [...OTHERS, ...NO_TEXT]) {
        const asked = new Request(`https://page.example/api/v1/${row.path}?${name}=${encodeURIComponent(text)}`);
        expect([name, text, (await handler(asked)).status]).toEqual([name, text, 400]);
      }
    }
    expect(sent).toBe(0);
  },
);
