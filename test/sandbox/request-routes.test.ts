import { describe, expect, it, test } from "vitest";
import { API_PREFIX } from "../../src/core/operation.js";
import { allOperations } from "../../src/operations.js";
import { Router } from "../../src/sandbox/engine/router.js";

const matchesFor = (method: string, path: string, among = new Router(allOperations)) =>
  among.match(method, path).map(({ row, params }) => [row.id, params]);

describe("the operation of a request", () => {
  test.each([
    ["GET", "/api/v1/accounts", "accounts.list", {}],
    ["GET", "/api/v1/accounts/7", "accounts.get", { id: "7" }],
    ["PUT", "/api/v1/accounts/7", "accounts.update", { id: "7" }],
    ["PATCH", "/api/v1/accounts/7", "accounts.update", { id: "7" }],
    ["GET", "/api/v1/accounts/7/", "accounts.get", { id: "7" }],
    ["GET", "/behind/a/proxy/api/v1/accounts/7", "accounts.get", { id: "7" }],
    ["GET", "/api/v1/accounts/a%2Fb%20c", "accounts.get", { id: "a/b c" }],
  ])("%s %s", (method, path, id, params) => {
    expect(matchesFor(method, path)[0]).toEqual([id, params]);
  });

  test.each([
    ["a method the path does not have", "PATCH", "/api/v1/accounts"],
    ["a method that no path has", "TRACE", "/api/v1/accounts/7"],
    ["a path nobody knows", "GET", "/api/v1/spaceships"],
    ["a path that goes on", "GET", "/api/v1/accounts/7/8/9/10"],
    ["the prefix alone", "GET", "/api/v1/"],
    ["the prefix without a slash", "GET", "/api/v1"],
    ["another prefix", "GET", "/api/v2/accounts"],
    ["the prefix of another API", "GET", "/api/organization/accounts"],
    ["a parameter that cannot be decoded", "GET", "/api/v1/accounts/%E0%A4%A"],
  ])("is not found for %s", (_, method, path) => {
    expect(matchesFor(method, path)).toEqual([]);
  });

  it("is the one with a literal word rather than a placeholder in its path", () => {
    const [row] = allOperations.filter(({ id }) => id === "accounts.get");
    if (!row) throw new Error("accounts.get is missing");
    const word = { ...row, id: "accounts.mine", path: "accounts/mine" } as typeof row;
    for (const rows of [
      [row, word],
      [word, row],
    ]) {
      const both = new Router(rows);
      expect(matchesFor("GET", "/api/v1/accounts/mine", both)).toEqual([["accounts.mine", {}]]);
      expect(matchesFor("GET", "/api/v1/accounts/yours", both)).toEqual([["accounts.get", { id: "yours" }]]);
    }
  });

  it("is the same operation in every API that has it", () => {
    const twice = Object.groupBy(allOperations, ({ id }) => id);
    const [first, second] = Object.values(twice).find((rows) => rows?.length === 2) ?? [];
    if (!first || !second) throw new Error("no operation differs between Main and Admin");
    const path = `/${API_PREFIX[first.apis[0] ?? "main"]}/${first.path.replaceAll(/\{\w+\}/g, "1")}`;
    const router = new Router(allOperations);
    expect(router.match(first.method, path).map(({ row }) => row)).toEqual([first, second]);
  });

  it("is found by the path and the method of the option routes", () => {
    const moved = new Router(allOperations, { "accounts.list": { path: "customers", method: "POST" } });
    expect(matchesFor("POST", "/api/v1/customers", moved)).toEqual([["accounts.list", {}]]);
    expect(matchesFor("GET", "/api/v1/accounts", moved)).toEqual([]);
    const pathOnly = new Router(allOperations, { "accounts.list": { path: "customers" } });
    expect(matchesFor("GET", "/api/v1/customers", pathOnly)).toEqual([["accounts.list", {}]]);
    expect(() => new Router(allOperations, { "accounts.lst": { path: "x" } })).toThrow(
      new RangeError('routes: there is no operation "accounts.lst"'),
    );
  });
});
