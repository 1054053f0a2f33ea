import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Operation } from "../../src/core/operation.js";
import { fieldsOf } from "../../src/core/schema/traits.js";
import { allOperations } from "../../src/operations.js";
import { FEATURE_FLAGS, FLAGGED_FIELDS, hiddenFields } from "../../src/sandbox/engine/features.js";
import { createSandbox } from "../../src/sandbox/index.js";
import * as schemas from "../../src/schemas.js";
import { ask } from "./support.js";

interface ContractField {
  readonly feature?: string;
  readonly feature_in?: readonly string[];
}

const contract = JSON.parse(readFileSync(new URL("../contract/data/records.json", import.meta.url), "utf8")) as {
  records: Record<string, { fields?: Record<string, ContractField> }>;
};
const operationData = JSON.parse(
  readFileSync(new URL("../contract/data/operations.json", import.meta.url), "utf8"),
) as { operations: { feature?: string }[] };

// One record has a field that is itself named `feature`, so only a text value names a flag.
const flaggedInContract = Object.entries(contract.records).flatMap(([record, { fields = {} }]) =>
  Object.entries(fields).flatMap(([field, { feature, feature_in: apis }]) =>
    typeof feature === "string" ? [{ flag: feature, record, field, ...(apis && { apis }) }] : [],
  ),
);

describe("feature flags of the sandbox", () => {
  test("the flags and the fields that depend on them are those of the contract", () => {
    const flagged = FEATURE_FLAGS.flatMap((flag) => FLAGGED_FIELDS[flag].map((field) => ({ flag, ...field })));
    const inOrder = (fields: readonly object[]) => fields.map((field) => JSON.stringify(field)).sort();
    const sorted = flaggedInContract.map(({ flag, record, field, apis }) => ({
      flag,
      record,
      field,
      ...(apis && { apis }),
    }));
    expect(inOrder(flagged)).toEqual(inOrder(sorted));
    expect(flagged.length).toBeGreaterThan(4);
    const named = [...operationData.operations, ...flaggedInContract.map(({ flag: feature }) => ({ feature }))];
    expect([...FEATURE_FLAGS].sort()).toEqual([...new Set(named.flatMap(({ feature }) => feature ?? []))].sort());
  });

  test("an unknown flag is refused", () => {
    expect(() => createSandbox({ disabledFeatures: ["Rooms" as never] })).toThrow(RangeError);
    expect(() => createSandbox({ disabledFeatures: ["Rooms" as never] })).toThrow(
      '"Rooms" is not one of Custom objects',
    );
  });

  test("a flag that one API names hides its field there, and also for keys that open both APIs", () => {
    const field = { record: "Webhook", field: "url", apis: ["main"] as const };
    const hidden = hiddenFields(["Teacher roles"], { ...FLAGGED_FIELDS, "Teacher roles": [field] });
    const { webhookSchema, webhookNotificationSchema } = schemas;
    const apis = ["main", "admin", "both"] as const;
    expect(apis.map((api) => hidden(webhookSchema, api))).toEqual([["url"], [], ["url"]]);
    expect(hidden(webhookNotificationSchema, "main")).toEqual([]);
    expect(hidden(undefined, "main")).toEqual([]);
  });
});

// Lists whose records have a field that depends on a flag, with the keys that must not see the field.
const lists = FEATURE_FLAGS.flatMap((flag) =>
  FLAGGED_FIELDS[flag].flatMap(({ record, field, apis }) =>
    allOperations
      // Some lists return the Main API's form of a record, which may lack the field.
      .filter(
        ({ paged, path, response }) =>
          paged && !path.includes("{") && isForm(response, record) && field in fieldsOf(response),
      )
      .flatMap((row) => row.apis.map((api) => ({ row, api, flag, field, hides: apis?.includes(api) ?? true })))
      .map((entry) => ({ ...entry, name: `${entry.row.id} (${entry.api}) ${field}` })),
  ),
);

describe("a field is hidden if its flag is off", () => {
  test.each(lists)("$name", async ({ row, api, flag, field, hides }) => {
    const shows = async (disabledFeatures: (typeof FEATURE_FLAGS)[number][]) => {
      const sandbox = createSandbox({ size: 12, disabledFeatures });
      // Some lists depend on the flag themselves; this test is about the others.
      if (row.feature && disabledFeatures.includes(row.feature)) return false;
      const { body } = await ask(
        { ...sandbox, ...sandbox[api === "organization" ? "main" : api] },
        `api/v1/${row.path}?per_page=100`,
      );
      return (body as object[]).some((record) => field in record);
    };
    expect(await shows([])).toBe(true);
    expect(await shows([flag])).toBe(!hides);
    expect(await shows(FEATURE_FLAGS.filter((other) => other !== flag && other !== row.feature))).toBe(true);
  });

  test("lists to check exist", () => expect(lists.length).toBeGreaterThanOrEqual(4));
});

const flagged = allOperations.filter(({ feature }) => feature).map((row) => ({ row, id: row.id }));

describe("an operation fails if its flag is off", () => {
  test.each(flagged)("$id responds 403, whatever the request", async ({ row }) => {
    const api = row.apis.includes("admin") ? "admin" : "main";
    const call = async (disabledFeatures: (typeof FEATURE_FLAGS)[number][]) => {
      const sandbox = createSandbox({ size: 10, disabledFeatures });
      return await ask({ ...sandbox, ...sandbox[api] }, pathOf(row), {
        method: row.method,
        ...(row.body && { body: "{}" }),
      });
    };
    const { feature } = row;
    if (!feature) throw new Error("a row without a flag");
    expect(await call([feature])).toMatchObject({
      status: 403,
      body: { message: `Forbidden: ${feature} is not enabled` },
    });
    expect((await call(FEATURE_FLAGS.filter((flag) => flag !== feature))).status).not.toBe(403);
  });
});

function isForm(response: Operation["response"], record: string): boolean {
  const all = schemas as unknown as Record<string, Operation["response"]>;
  const name = record.charAt(0).toLowerCase() + record.slice(1);
  return response !== undefined && [`${name}Schema`, `admin${record}Schema`].some((form) => all[form] === response);
}

function pathOf(row: Operation): string {
  const names = Object.keys(fieldsOf(row.params));
  return names.reduce((path, name) => path.replace(`{${name}}`, "1"), `api/v1/${row.path}`);
}
