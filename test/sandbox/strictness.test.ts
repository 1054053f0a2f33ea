import { describe, expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import { ask } from "./support.js";

const sandbox = createSandbox({ size: 20, rateLimit: false });
const send = (method: string, path: string, body: object) =>
  ask({ ...sandbox, apiKey: sandbox.main.apiKey }, `api/v1/${path}`, { method, body: JSON.stringify(body) });

const times = { start_date_time: "2030-01-01T10:00:00.000Z", end_date_time: "2030-01-01T09:00:00.000Z" };

describe("what the service refuses although its type fits: 422 with every field", () => {
  test.each<[method: string, path: string, body: object, fields: string[]]>([
    ["POST", "accounts", { name: "" }, ["name"]],
    ["POST", "accounts", { name: "   ", email: "nobody@home" }, ["name", "email"]],
    ["PUT", "accounts/1", { name: "x", email: "a@b" }, ["email"]],
    ["POST", "users", { first_name: "A", last_name: "B", email: "a b@example.org" }, ["email"]],
    ["POST", "labels", { name: "x", color: "red", model_type: "Order" }, ["color"]],
    ["PUT", "labels/1", { color: "#12345" }, ["color"]],
    ["POST", "courses", { category_id: 1, name: "", code: "A", cost: "-5.00" }, ["name", "cost"]],
    ["PUT", "courses/1", { cost: "-0.01" }, ["cost"]],
    ["POST", "invoice_vats", { name: "x", percentage: "101" }, ["percentage"]],
    ["POST", "leads", { title: " ", quality: 1 }, ["title"]],
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

  test("a category is not moved below one of its own", async () => {
    const { store } = sandbox;
    const child = store.categories.insert({ parent_id: 1 }).id;
    const grandchild = store.categories.insert({ parent_id: child }).id;
    expect((await send("PUT", "categories/1", { name: "x", parent_id: grandchild })).status).toBe(422);
    expect((await send("PUT", `categories/${grandchild}`, { name: "x", parent_id: 1 })).status).toBe(200);
  });

  test.each<[string, string, object]>([
    ["POST", "accounts", { name: "x", email: "a.b+c@mail.school.example" }],
    ["POST", "accounts", { name: "x", email: null }],
    ["POST", "labels", { name: "x", color: "#Ab3", model_type: "Order" }],
    [
      "POST",
      "invoices",
      { account_id: 1, invoice_items_attributes: [{ name: "Credit", units: 1, unit_price: "-10.00" }] },
    ],
    ["PUT", "meetings/1", { name: "Only the name" }],
  ])("is not too strict: %s %s %j", async (method, path, body) => {
    expect((await send(method, path, body)).status).toBeLessThan(300);
  });
});
