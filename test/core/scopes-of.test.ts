import { describe, expect, test } from "vitest";
import { InputError } from "../../src/index.js";
import { type Api, allOperations, type OperationId, scopesOf } from "../../src/operations.js";
import { scopesOf as inContract } from "../contract/support/contract-data.js";

const cases = allOperations.flatMap((row) => row.apis.map((api) => ({ id: row.id as OperationId, api })));

function refusal(id: string, api?: Api): InputError {
  try {
    scopesOf([id as OperationId], api);
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return error as InputError;
  }
  return expect.fail(`${id} was not refused`);
}

describe("scopesOf", () => {
  test.each(cases)("$id ($api) needs the scopes in the contract", ({ id, api }) => {
    const { scopes = [], any = false } = inContract(id, api) ?? {};
    expect(scopesOf([id], api)).toEqual([...(any ? scopes.slice(0, 1) : scopes)].sort());
  });

  test("several operations need the scopes of each, sorted and without duplicates", () => {
    expect(scopesOf(["invoices.list", "accounts.get", "invoices.get", "accounts.list"])).toEqual([
      "invoices:read",
      "relations:read",
    ]);
    expect(scopesOf(["webhooks.delete", "webhooks.create", "webhooks.list"])).toEqual([
      "settings:modify",
      "settings:read",
    ]);
    expect(scopesOf([])).toEqual([]);
  });

  test("of alternative scopes it returns the first, and none for operations that any token may call", () => {
    const alternatives = cases.filter(({ id, api }) => {
      const { scopes = [], any = false } = inContract(id, api) ?? {};
      return any && scopes.length > 1;
    });
    expect(alternatives.length).toBeGreaterThan(0);
    for (const { id, api } of alternatives) {
      expect(scopesOf([id], api), `${id} (${api})`).toEqual(inContract(id, api)?.scopes.slice(0, 1));
    }
    expect(scopesOf(["educators.get"])).toEqual([]);
  });

  test("the APIs may require different scopes; Main is the default", () => {
    expect(scopesOf(["grades.get"])).toEqual(["orders:read"]);
    expect(scopesOf(["grades.get"], "main")).toEqual(["orders:read"]);
    expect(scopesOf(["grades.get"], "admin")).toEqual(["enrollments:read"]);
  });

  test("operations of the Organization API belong to every API", () => {
    for (const api of ["main", "admin", "organization"] as const) {
      expect(scopesOf(["organization.contacts.list"], api)).toEqual(
        [...(inContract("organization.contacts.list", "organization")?.scopes ?? [])].sort(),
      );
    }
  });

  test("an operation that does not exist, or not in that API, is refused with its name in the error", () => {
    expect(refusal("accounts.steal").message).toContain('the main API has no operation "accounts.steal"');
    expect(refusal("invoices.list", "admin").message).toContain('the admin API has no operation "invoices.list"');
    expect(refusal("emails.send").message).toContain('the main API has no operation "emails.send"');
    expect(refusal("accounts.list", "organization").message).toContain("the organization API has no operation");
    expect(() => scopesOf(["accounts.list", "toString" as never])).toThrow(InputError);
  });
});
