import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { assistantTools } from "../../src/assistant/index.js";
import { AdminClient, MainClient } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";

const CALLS = 10_000;
const NAMES = [...new Set(allOperations.flatMap(({ id }) => [id, id.slice(0, id.lastIndexOf("."))]))];
const FIELDS = ["id", "email", "first_name", "status", "custom.slug", "address.city", "__proto__", "name", "student"];
const PEOPLE = ["users", "accounts", "courses", "labels", "leads", "teachers"];

// Half of the inputs are meaningful, so that requests are sent; the others are random.
const names = fc.oneof(fc.constantFrom(...NAMES), fc.constantFrom(...PEOPLE, "invoices", "enrollments"), fc.string());
const values = fc.oneof(
  fc.integer({ min: 1, max: 30 }),
  fc.string(),
  fc.constantFrom("7", "open", null),
  fc.jsonValue(),
);
const object = fc.dictionary(
  fc.oneof(fc.constantFrom(...FIELDS, "planned_course_id", "user_id"), fc.string()),
  values,
  { maxKeys: 3 },
);
const texts = fc.array(fc.oneof(fc.constantFrom(...FIELDS), fc.string()), { maxLength: 3 });
const small = fc.integer({ min: 1, max: 30 });
const row = fc.record({ id: small, name: fc.string(), email: fc.emailAddress() }, { requiredKeys: ["id"] });
const inputs = fc.oneof(
  { weight: 6, arbitrary: fc.record({ from: names, id: small, limit: small }, { requiredKeys: ["from"] }) },
  {
    weight: 4,
    arbitrary: fc.record(
      { from: names, id: values, where: object, fields: texts, with: texts },
      { requiredKeys: ["from"] },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record({ from: names, by: fc.constantFrom(...FIELDS), sum: values }, { requiredKeys: ["from"] }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      to: fc.constantFrom(...PEOPLE),
      key: fc.constantFrom("id", "email", "name"),
      rows: fc.array(row, { minLength: 1, maxLength: 3 }),
      why: fc.constant("why"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ to: names, key: texts, rows: fc.array(object, { maxLength: 3 }), why: fc.string() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ resource: names, about: fc.constantFrom("operations", "fields", "filters", "x") }),
  },
  { weight: 1, arbitrary: fc.anything() },
);
// Four out of five calls go to a tool that accepts such an input.
const calls = fc.tuple(inputs, fc.nat({ max: 7 }), fc.nat({ max: 4 })).map(([input, at, luck]) => {
  const known = typeof input === "object" && input !== null ? input : {};
  const own = "to" in known ? 3 : "resource" in known ? 0 : "by" in known || "sum" in known ? 2 : 1;
  return { at: luck === 0 ? at : own + 4 * (at % 2), input };
});

test("10,000 random calls of tools that may plan never throw, and send only GETs", async () => {
  const plans = await mkdtemp(join(tmpdir(), "fuzz-"));
  const methods = new Map<string, number>();
  const sandbox = createSandbox({ size: "small", rateLimit: false });
  const fetch: typeof sandbox.fetch = (url, init) => {
    const method = init?.method ?? "GET";
    methods.set(method, (methods.get(method) ?? 0) + 1);
    return sandbox.fetch(url, init);
  };
  const options = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, fetch, rateLimit: false } as const;
  const tools = [new MainClient(options), new AdminClient(options)].flatMap((client) =>
    assistantTools(client, { access: "plan", plans, requests: 100_000 }),
  );
  try {
    let made = 0;
    const property = fc.asyncProperty(calls, async ({ at, input }) => {
      made++;
      expect(await tools[at]?.execute(input)).toBeDefined();
    });
    await fc.assert(property, { numRuns: CALLS, endOnFailure: true });
    expect(made).toBe(CALLS);
    expect([...methods.keys()]).toEqual(["GET"]);
    expect(methods.get("GET")).toBeGreaterThan(500);
  } finally {
    await rm(plans, { recursive: true, force: true });
  }
}, 600_000);
