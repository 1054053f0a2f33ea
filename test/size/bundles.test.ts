import { describe, expect, test } from "vitest";
import type { Operation, OperationTable } from "../../src/core/operation.js";
import * as sdk from "../../src/index.js";
import { drawCases } from "../support/amount.js";
import { BUNDLERS, bundle } from "./bundle.js";
import { staysUnderCeiling } from "./ceilings.js";

// The beginning of a row of the tables, in any bundler's output. Comments are removed, because their examples look like
// rows.
const pathsIn = (kept: string) =>
  new Set(
    [...kept.replace(/\/\*.*?\*\//gs, "").matchAll(/method: "[A-Z]+",\s+path: "([^"]+)"/g)].map(([, path]) => path),
  );

const OPTIONS = '{ baseUrl: "https://school.example", apiKey: "key" }';
const ONE = `import { Accounts } from "education-admin-sdk"; import { Transport } from "education-admin-sdk/operations"; globalThis.kept = new Accounts(new Transport(${OPTIONS}));`;
const CLIENT = `import { MainClient } from "education-admin-sdk"; globalThis.kept = new MainClient(${OPTIONS});`;
const SCHEMA = 'import { accountSchema } from "education-admin-sdk/schemas"; globalThis.kept = accountSchema;';
const SCHEMAS = 'import * as schemas from "education-admin-sdk/schemas"; globalThis.kept = schemas;';

// The sizes that docs/guides/browser.md promises, even if the ceilings move. A kB is 1,000 bytes.
const PROMISED: Readonly<Record<string, number>> = { "one resource": 45_000, "the whole MainClient": 63_000 };

// Gzipped bytes with all dependencies, including ky and zod. docs/performance.md shows their shares.
describe("a bundle for browsers stays under its ceiling", () => {
  test.each([
    ["one resource", ONE],
    ["the whole MainClient", CLIENT],
    ["the whole MainClient and all schemas", `${CLIENT}\n${SCHEMAS.replaceAll("kept", "keptToo")}`],
    ["one schema", SCHEMA],
    ["all schemas", SCHEMAS],
  ])("%s", async (name, program) => {
    const { gzip } = await bundle(program);
    staysUnderCeiling(name, gzip);
    expect(gzip).toBeLessThanOrEqual(PROMISED[name] ?? Number.POSITIVE_INFINITY);
  });
});

// Node's build puts all entries into a few files, so a bundler can only drop single statements.
test("a bundle for Node of one error class stays under its ceiling", async () => {
  const { gzip } = await bundle(
    'import { NotFoundError } from "education-admin-sdk"; globalThis.kept = NotFoundError;',
    "node",
  );
  expect(gzip).toBeLessThanOrEqual(2_000);
});

describe.each(Object.entries(BUNDLERS))("%s", (_, keep) => {
  test("drops every resource that is not imported", async () => {
    expect(pathsIn(await keep(ONE))).toEqual(new Set(["accounts", "accounts/{id}"]));
  });

  test("drops operations that only the Admin API has from a MainClient", async () => {
    const paths = pathsIn(await keep(CLIENT));
    expect(["invoices", "departments", "certificates", "organizations"].filter((path) => paths.has(path))).toEqual([
      "invoices",
    ]);
  });

  test("drops the code of clients if a resource has its own transport", async () => {
    const kept = await keep(ONE);
    const foreign = [
      "put the query into the `query` option",
      "must be a Standard Schema",
      "this client has no operation",
    ];
    expect(foreign.filter((text) => kept.includes(text))).toEqual([]);
    const client = await keep(CLIENT);
    expect(foreign.filter((text) => client.includes(text))).toEqual(foreign);
  });

  test("drops every unused enumeration and schema", async () => {
    const kept = await keep(ONE);
    expect(kept.includes('"personal"'), "the enumeration that accounts use is kept").toBe(true);
    // Values of enumerations that accounts do not use.
    const foreign = ["awaiting_judgement", "published_public", "limited_availability", "Program::Edition"];
    expect(foreign.filter((word) => kept.includes(word))).toEqual([]);
  });

  test("keeps one schema without its client, operations or other schemas", async () => {
    const kept = await keep(SCHEMA);
    expect(kept.includes("personal_user_id"), "the schema is kept").toBe(true);
    const foreign = ['"ky"', '"GET"', "extends Resource", "accounts/{id}", "key_contact_user_id"];
    expect(foreign.filter((word) => kept.includes(word))).toEqual([]);
  });
});

describe("a bundle of one resource has its operations and no other resource's", () => {
  const classes = Object.entries(sdk).filter(([, value]) => Object.hasOwn(value, "operations"));

  test.each(drawCases(classes, 4, 20))("%s", async (name, resource) => {
    const rows: Operation[] = [];
    for (let one: object = resource; "operations" in one; one = Object.getPrototypeOf(one))
      rows.push(...Object.values(one.operations as OperationTable));
    const kept = await BUNDLERS.esbuild?.(ONE.replaceAll("Accounts", name));
    expect(pathsIn(kept ?? "")).toEqual(new Set(rows.map(({ path }) => path)));
  });
});

test.each(["Rollup", "Rolldown"])("%s removes an import without names completely", async (name) => {
  const kept = await BUNDLERS[name]?.('import "education-admin-sdk"; import "education-admin-sdk/schemas";');
  expect(kept?.replace(/^import "zod\/mini";/, "").trim()).toBe("");
});
