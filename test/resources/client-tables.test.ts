import { expect, test } from "vitest";
import { apiOf, operationsIn } from "../../src/core/inside-client.js";
import { resourceNameOf, rowNameOf } from "../../src/core/operation.js";
import { AdminClient, MainClient, OrganizationClient } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";

const OPTIONS = { baseUrl: "https://school.example", apiKey: "key" };

test.each([
  ["main", new MainClient(OPTIONS)],
  ["admin", new AdminClient(OPTIONS)],
  ["organization", new OrganizationClient(OPTIONS)],
] as const)("a client of the %s API names it, and has a method for each of its operations", (api, client) => {
  expect(apiOf(client)).toBe(api);
  const rows = operationsIn(client);
  expect(new Set(rows)).toEqual(
    new Set(allOperations.filter(({ apis }) => apis.includes(api) || apis.includes("organization"))),
  );
  const methodOf = (id: string) => {
    const path = resourceNameOf(id).replace(api === "organization" ? "organization." : "", "");
    let at: unknown = client;
    for (const name of path.split(".")) at = (at as Record<string, unknown>)[name];
    return (at as Record<string, unknown>)[rowNameOf(id)];
  };
  expect(rows.filter(({ id }) => typeof methodOf(id) !== "function").map(({ id }) => id)).toEqual([]);
});
