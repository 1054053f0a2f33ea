import { describe, expect, test } from "vitest";
import { scopesIn } from "../../src/core/operation.js";
import { AdminClient, ApiError, MainClient, PermissionDeniedError } from "../../src/index.js";
import { type Api, allOperations, type Operation, scopesOf } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { invoke } from "../contract/support/calls.js";
import { operations } from "../contract/support/contract-data.js";
import { plainCall } from "../contract/support/walk-request.js";

type Scope = `${string}:${string}`;

const sandbox = createSandbox({ size: 30, rateLimit: false });

// A key is valid for the Main or for the Admin API; both kinds of keys are valid for the Organization API.
const cases = allOperations.flatMap((row) =>
  row.apis.flatMap((api) =>
    (api === "organization" ? (["main", "admin"] as const) : ([api] as const)).map((door) => ({
      row,
      api,
      door,
      name: `${row.id} (${api === door ? api : `${api}, through ${door}`})`,
    })),
  ),
);
const documented = cases.filter(({ row, api }) => (scopesIn(row, api)?.length ?? 0) > 0);

// All cases share these clients, which use the key of the current case, because creating a client takes longer than a
// call.
let apiKey = "";
const fetch: typeof sandbox.fetch = (url, init) =>
  sandbox.fetch(url, { ...init, headers: { ...init?.headers, authorization: `Bearer ${apiKey}` } });
const connection = { ...sandbox, fetch, retry: false as const };
const clients = { main: new MainClient(connection), admin: new AdminClient(connection) };

/** Calls an operation with a key that has these scopes. Returns the response or the error. */
async function call(row: Operation, api: Api, door: "main" | "admin", scopes: readonly Scope[]): Promise<unknown> {
  const contract = operations.find(({ id }) => id === row.id);
  if (!contract) throw new Error(`the contract has no ${row.id}`);
  apiKey = sandbox.createKey({ api: door, scopes });
  const target = api === "organization" ? clients[door].organization : clients[door];
  return Promise.resolve(invoke(target, contract, plainCall(contract, api))).catch((error: unknown) => error);
}

describe("a key with exactly the scopes of an operation", () => {
  test.each(documented)("$name accepts it, and refuses a key without any of them", async ({ row, api, door }) => {
    const needed = scopesOf([row.id as never], door) as Scope[];
    expect(needed.length).toBeGreaterThan(0);
    const answer = await call(row, api, door, needed);
    expect(answer).not.toBeInstanceOf(PermissionDeniedError);
    // Any other error depends on the record, not on the key.
    if (answer instanceof Error) expect(answer).toBeInstanceOf(ApiError);
    for (const scope of needed) {
      const others = everyScope.filter((other) => other !== scope && !alternatives(row, api).includes(other));
      expect(await call(row, api, door, others), `without ${scope}`).toBeInstanceOf(PermissionDeniedError);
    }
  });

  test.each(documented.filter(({ row }) => row.anyScope))(
    "$name accepts each alternative",
    async ({ row, api, door }) => {
      for (const scope of alternatives(row, api)) {
        expect(await call(row, api, door, [scope])).not.toBeInstanceOf(PermissionDeniedError);
      }
    },
  );

  test.each(cases.filter((entry) => !documented.includes(entry)))(
    "$name accepts any key if no scope is documented",
    async ({ row, api, door }) => {
      expect(scopesOf([row.id as never], door)).toEqual([]);
      expect(await call(row, api, door, [])).not.toBeInstanceOf(PermissionDeniedError);
    },
  );

  test("there are operations with scopes in both APIs, and alternatives", () => {
    for (const api of ["main", "admin"] as const) {
      expect(documented.filter((entry) => entry.api === api).length, api).toBeGreaterThan(80);
    }
    expect(documented.filter(({ row, api }) => alternatives(row, api).length > 1)).not.toEqual([]);
  });
});

const everyScope = [
  ...new Set(allOperations.flatMap((row) => row.apis.flatMap((api) => scopesIn(row, api) ?? []))),
] as Scope[];

// The scopes of an operation that needs only one of them; empty if it needs all.
function alternatives(row: Operation, api: Api): Scope[] {
  return row.anyScope ? ([...(scopesIn(row, api) ?? [])] as Scope[]) : [];
}
