import { describe, expect, test } from "vitest";
import { AdminClient, MainClient, PermissionDeniedError } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { admin, ask, small } from "./support.js";

describe("keys", () => {
  test("are refused with 403 and the error body if they are missing, wrong or in another form", async () => {
    const sandbox = small();
    const attempts: RequestInit[] = [
      { headers: {} },
      { headers: { authorization: "Bearer wrong" } },
      { headers: { authorization: sandbox.apiKey } },
      { headers: { authorization: `Basic ${sandbox.apiKey}` } },
    ];
    for (const init of attempts) {
      const { status, body } = await ask(sandbox, "api/v1/accounts", init);
      expect(status).toBe(403);
      expect(body).toEqual({ errors: {}, code: 403, message: expect.any(String) });
    }
  });

  test("of one API find no operation that only the other has", async () => {
    const sandbox = small();
    const get = (path: string, { apiKey }: { apiKey: string }) =>
      ask({ ...sandbox, apiKey }, path).then(({ status }) => status);
    expect([await get("api/v1/invoices", sandbox.main), await get("api/v1/invoices", sandbox.admin)]).toEqual([
      200, 404,
    ]);
    expect([await get("api/v1/certificates", sandbox.main), await get("api/v1/certificates", sandbox.admin)]).toEqual([
      404, 200,
    ]);
    for (const door of [sandbox, sandbox.main, sandbox.admin])
      expect(await get("api/organization/contacts", door)).toBe(200);
    expect([await get("api/v1/invoices", sandbox), await get("api/v1/certificates", sandbox)]).toEqual([200, 200]);
  });

  test("are refused with 403 outside their scopes", async () => {
    const sandbox = small();
    const apiKey = sandbox.createKey({ scopes: ["relations:read", "invoices:read", "invoices:modify"] });
    const client = new MainClient({ ...sandbox, apiKey });
    expect((await client.accounts.list()).records.length).toBeGreaterThan(0);
    expect((await client.affiliations.list()).records.length).toBeGreaterThan(0);
    expect((await client.organization.contacts.list()).records.length).toBeGreaterThan(0);
    expect((await client.invoices.open(1)).id).toBe(1);
    await expect(client.accounts.create({ name: "x" })).rejects.toBeInstanceOf(PermissionDeniedError);
    await expect(client.courses.get(1)).rejects.toThrow("lacks the scope this operation needs (courses:read)");
    // Reading grades needs the scope for orders in the Main API and the scope for enrollments in the Admin API. Any
    // token may read its educator.
    const reader = sandbox.createKey({ scopes: ["orders:read", "my_leads:read"] });
    expect((await new MainClient({ ...sandbox.main, apiKey: reader }).educators.get()).id).toBe(1);
    const main = sandbox.createKey({ api: "main", scopes: ["orders:read", "my_leads:read"] });
    const admin = sandbox.createKey({ api: "admin", scopes: ["orders:read", "my_leads:read"] });
    expect((await new MainClient({ ...sandbox, apiKey: main }).grades.get(1)).id).toBe(1);
    await expect(new AdminClient({ ...sandbox, apiKey: admin }).grades.get(1)).rejects.toThrow("enrollments:read");
    await expect(new MainClient({ ...sandbox, apiKey: main }).leads.list()).rejects.toThrow("leads:read");
    expect((await new AdminClient({ ...sandbox, apiKey: admin }).leads.list()).records.length).toBeGreaterThan(0);
  });

  test("are refused after they were revoked", async () => {
    const sandbox = small();
    const apiKey = sandbox.createKey();
    expect((await ask({ ...sandbox, apiKey }, "api/v1/accounts/1")).status).toBe(200);
    expect(sandbox.revokeKey(apiKey)).toBe(true);
    expect((await ask({ ...sandbox, apiKey }, "api/v1/accounts/1")).status).toBe(403);
  });
});

describe("feature flags", () => {
  test("hide an operation that is off with 403, along with the fields that depend on it", async () => {
    const sandbox = createSandbox({ size: 40, disabledFeatures: ["Custom objects", "Departments"] });
    const client = admin(sandbox);
    for (const call of [
      client.customObjects.list(),
      client.customRecords.list("equipment"),
      client.customAssociations.list("users"),
      client.departments.list(),
    ]) {
      await expect(call.toArray({ max: 1 })).rejects.toBeInstanceOf(PermissionDeniedError);
    }
    expect(await client.catalogProducts.get(4)).not.toHaveProperty("custom_associations");
    expect(await admin(small()).catalogProducts.get(4)).toHaveProperty("custom_associations");
  });
});

describe("unknown paths and records", () => {
  const sandbox = small();

  test.each([
    ["GET", "api/v1/planned_course"],
    ["GET", "api/v1/nothing"],
    ["PATCH", "api/v1/accounts"],
    ["DELETE", "api/v1/accounts/1"],
    ["GET", "api/v2/accounts"],
    ["GET", "api/organization/accounts"],
    ["GET", "accounts"],
    ["GET", "api/v1/accounts/999"],
    ["GET", "api/v1/accounts/1.5"],
    ["GET", "api/v1/accounts/me"],
    ["GET", "api/v1/accounts/%E0%A4%A"],
  ])("%s %s: 404 with the error body", async (method, path) => {
    const { status, body } = await ask(sandbox, path, { method });
    expect(status).toBe(404);
    expect(body).toEqual({ errors: {}, code: 404, message: "Not Found" });
  });
});
