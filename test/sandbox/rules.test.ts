import { describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { ask } from "./support.js";

type Doubt = readonly [what: string, send: (sandbox: Sandbox) => ReturnType<typeof ask>, field: string];

const post = (sandbox: Pick<Sandbox, "apiKey" | "baseUrl" | "fetch">, path: string, body: object, method = "POST") =>
  ask(sandbox, `api/v1/${path}`, {
    method,
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" },
  });

const invoice = (fields: object) => ({
  account_id: 1,
  invoice_items_attributes: [{ name: "Course", units: 1, unit_price: "10.00", ...fields }],
});

const label = (sandbox: Sandbox) => {
  const [first] = sandbox.store.labels;
  return { name: first?.name, model_type: first?.model_type, color: "#336699" };
};

const DOUBTS: readonly Doubt[] = [
  [
    "an invoice without items that is opened",
    (sandbox) => {
      const { id } = sandbox.store.invoices.insert({ status: "concept", invoice_items: [] });
      return ask(sandbox, `api/v1/invoices/${id}/open`, { method: "POST" });
    },
    "invoice_items",
  ],
  [
    "negative units",
    (sandbox) => post(sandbox, "invoices", invoice({ units: -1 })),
    "invoice_items_attributes[0].units",
  ],
  [
    "a price of four decimals",
    (sandbox) => post(sandbox, "invoices", invoice({ unit_price: "1.2345" })),
    "invoice_items_attributes[0].unit_price",
  ],
  [
    "max_participants below min_participants",
    (sandbox) => {
      sandbox.store.plannedCourses.update(1, { min_participants: 5, max_participants: 9 });
      return post(sandbox, "planned_courses/1", { max_participants: 4, cost: 1 }, "PUT");
    },
    "max_participants",
  ],
  [
    "one student twice in an order",
    (sandbox) => post(sandbox, "orders", { catalog_variant_id: 1, creator_id: 1, student_ids: [2, 3, 2] }),
    "student_ids[2]",
  ],
  [
    "a meeting outside its planned course",
    (sandbox) => {
      sandbox.store.plannedCourses.update(1, { start_date: "2030-01-01", end_date: "2030-01-31" });
      const times = { start_date_time: "2029-12-31T10:00:00.000Z", end_date_time: "2030-01-01T10:00:00.000Z" };
      return post(sandbox, "meetings/1", times, "PUT");
    },
    "start_date_time",
  ],
  [
    "a grade for a canceled enrollment",
    (sandbox) => {
      sandbox.store.enrollments.update(1, { status: "canceled" });
      return post(sandbox, "grades", { gradeable_type: "Enrollment", gradeable_id: 1, grade: null, score: 8 });
    },
    "gradeable_id",
  ],
  [
    "a webhook to a private address",
    (sandbox) => post(sandbox, "webhooks", { url: "http://192.168.1.4/hooks" }),
    "url",
  ],
  [
    "an event that nothing is known of",
    (sandbox) => post(sandbox, "webhooks", { url: "https://hooks.example.org", events: ["room.created"] }),
    "events[0]",
  ],
  ["two equal labels", (sandbox) => post(sandbox, "labels", label(sandbox)), "name"],
  ["a name of 10,000 characters", (sandbox) => post(sandbox, "accounts", { name: "a".repeat(10_000) }), "name"],
];

const world = (strict: boolean) =>
  createSandbox({ size: 40, manners: { doubts: strict ? "refused" : "let through" }, now: "2030-06-01T12:00:00.000Z" });

test.each(DOUBTS)("%s is refused with strict and accepted without", async (_, send, field) => {
  const refused = await send(world(true));
  expect(refused.status).toBe(422);
  expect(Object.keys((refused.body as { errors: object }).errors)).toEqual([field]);
  expect((await send(world(false))).status).toBeLessThan(300);
});

test("JSON as text/plain is refused with strict and accepted without", async () => {
  const sendAccount = (sandbox: Sandbox) => ask(sandbox, "api/v1/accounts", { method: "POST", body: '{"name":"A"}' });
  expect(await sendAccount(world(true))).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining("text/plain") },
  });
  expect((await sendAccount(world(false))).status).toBe(201);
});

test.each([
  ["10.0.0.1", 422],
  ["172.16.0.9", 422],
  ["localhost", 422],
  ["[::1]", 422],
  ["172.15.0.9", 201],
  ["hooks.example.org", 201],
])("a webhook to %s gets a %i", async (host, status) => {
  expect((await post(world(true), "webhooks", { url: `https://${host}/hooks` })).status).toBe(status);
});

const sandbox = createSandbox({ size: 20, rateLimit: false });
const send = (method: string, path: string, body: object) =>
  post({ ...sandbox, apiKey: sandbox.main.apiKey }, path, body, method);

const times = { start_date_time: "2030-01-01T10:00:00.000Z", end_date_time: "2030-01-01T09:00:00.000Z" };

describe("values that the service refuses although their type is valid get a 422 with every field", () => {
  test.each<[method: string, path: string, body: object, fields: string[]]>([
    ["POST", "accounts", { name: "" }, ["name"]],
    ["POST", "accounts", { name: "   ", email: "nobody@home" }, ["name", "email"]],
    ["POST", "labels", { name: "x", color: "red", model_type: "Order" }, ["color"]],
    ["POST", "courses", { category_id: 1, name: "", code: "A", cost: "-5.00" }, ["name", "cost"]],
    ["POST", "invoice_vats", { name: "x", percentage: "101" }, ["percentage"]],
    ["POST", "planned_courses/2/meetings", { name: "x", ...times }, ["end_date_time"]],
    ["PUT", "meetings/1", { end_date_time: "2020-01-01T09:00:00.000Z" }, ["end_date_time"]],
    ["PUT", "meetings/1", { start_date_time: "2040-01-01T09:00:00.000Z" }, ["start_date_time"]],
    ["PUT", "categories/1", { parent_id: 1 }, ["parent_id"]],
    [
      "POST",
      "invoices",
      { account_id: 1, invoice_items_attributes: [{ name: "", units: 1, unit_price: "1.00" }] },
      ["invoice_items_attributes[0].name"],
    ],
  ])("%s %s %j", async (method, path, body, fields) => {
    const { status, body: answer } = await send(method, path, body);
    expect(status).toBe(422);
    expect(Object.keys((answer as { errors: object }).errors)).toEqual(fields);
  });

  test("a category cannot be moved below one of its descendants", async () => {
    const { store } = sandbox;
    const child = store.categories.insert({ parent_id: 1 }).id;
    const grandchild = store.categories.insert({ parent_id: child }).id;
    expect((await send("PUT", "categories/1", { name: "x", parent_id: grandchild })).status).toBe(422);
    expect((await send("PUT", `categories/${grandchild}`, { name: "x", parent_id: 1 })).status).toBe(200);
  });
});
