import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import type { Operation } from "../../src/core/operation.js";
import type { Schema } from "../../src/core/schema/model.js";
import { strictSchema } from "../../src/core/schema/strict-schema.js";
import { allOperations } from "../../src/operations.js";
import { daysFrom } from "../../src/sandbox/data/days.js";
import { Random } from "../../src/sandbox/data/random.js";
import { behaviorsOf } from "../../src/sandbox/domains.js";
import { createSandbox, type Sandbox, type SandboxConnection, type Store } from "../../src/sandbox/index.js";
import { sample } from "../../src/sandbox/sample.js";
import { drawCases } from "../support/amount.js";

// Path parameters for operations that cannot use the record with the identifier 1.
const PATHS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "attendances.get": { meeting_id: "1", enrollment_id: "1" },
  "authentications.delete": { user_id: "10", id: "10" },
  // The order waits for approval, and the invoice has a payment.
  "orders.deny": { id: "9" },
  "payments.deleteForInvoice": { invoice_id: "2", id: "1" },
  "payments.listForInvoice": { invoice_id: "2" },
  // This group has no materials.
  "materialGroups.delete": { id: "4" },
  // This role is not in use, unlike the first one.
  "teacherRoles.delete": { id: "3" },
  "webhooks.get": { id: "webhook-1" },
  "webhooks.update": { id: "webhook-1" },
  "webhooks.delete": { id: "webhook-1" },
  "webhooks.listNotifications": { webhook_id: "webhook-1" },
  "webhooks.listFailedNotifications": { webhook_id: "webhook-1" },
};
// Body fields for operations that need particular values.
const BODIES: Readonly<Record<string, object>> = {
  // The first user already belongs to the first organization and is a teacher.
  "organizationAffiliations.create": { user_id: 2 },
  "teachers.create": { user_id: 60 },
  // The client always sends both fields.
  "grades.create": { grade: "8", score: null },
};
const NAMES: Readonly<Record<string, string>> = {
  object_type: "accounts",
  field_slug: "sector",
  object_slug: "equipment",
};

// Operations that need a record without editions, enrollments or elements; every seeded record has some.
const PREPARED: Readonly<Record<string, (store: Store) => { id: number }>> = {
  "programEditions.createElements": ({ programEditions }) => programEditions.insert(),
  "programEditions.delete": ({ programEditions }) => programEditions.insert(),
  "programs.delete": ({ programs }) => programs.insert(),
};

async function carryOut(sandbox: Sandbox, connection: SandboxConnection, row: Operation): Promise<Response> {
  const id = PREPARED[row.id]?.(sandbox.store).id ?? 1;
  const path = row.path.replace(/\{(\w+)\}/g, (_, name: string) => PATHS[row.id]?.[name] ?? NAMES[name] ?? String(id));
  const prefix = row.apis.includes("organization") ? "api/organization" : "api/v1";
  return connection.fetch(`${connection.baseUrl}/${prefix}/${path}`, {
    method: row.method,
    headers: { authorization: `Bearer ${connection.apiKey}` },
    ...(row.body && {
      body: JSON.stringify({
        ...(sample(
          row.body,
          new Random(3),
          daysFrom(() => 0),
        ) as object),
        ...BODIES[row.id],
      }),
    }),
  });
}

const forReads = createSandbox({ size: 60, rateLimit: false });

// Draws one API per operation, because all APIs of an operation use the same row.
const cases = allOperations.flatMap((row) =>
  drawCases(row.apis, 1).map((api) => ({
    row,
    api: api === "organization" ? ("main" as const) : api,
    name: `${row.id} (${api})`,
  })),
);

describe("every operation of every table", () => {
  test.each(cases)(
    "$name returns its status and the fields of its schema, no more and no less",
    async ({ row, api }) => {
      const sandbox = row.method === "GET" ? forReads : createSandbox({ size: 60 });
      const response = await carryOut(sandbox, sandbox[api], row);
      const text = await response.text();
      expect(response.status, text).toBe(row.status ?? 200);
      expect(response.headers.get("x-request-id")).toMatch(/\S/);
      if (!row.response) return expect(text).toBe("");
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
      const body: unknown = JSON.parse(text);
      const schema = strictSchema(row.response as Schema, "input");
      const result = z.safeParse(row.paged || row.array ? z.array(schema) : schema, body);
      expect(result.error?.issues ?? []).toEqual([]);
      if (row.paged || row.array) expect(body).not.toEqual([]);
    },
  );

  test("every resource of the tables has a behavior, and every behavior a resource", () => {
    const { store } = createSandbox({ size: 1 });
    const resources = new Set(allOperations.map(({ id }) => id.slice(0, id.lastIndexOf("."))));
    const behaviorOf = behaviorsOf(store);
    expect([...resources].filter((resource) => !behaviorOf(resource))).toEqual([]);
  });
});
