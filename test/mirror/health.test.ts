import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { MainClient } from "../../src/index.js";
import { mirror, sqlite } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";

it("reports how far each list is behind, and which operations refused its client", async () => {
  const sandbox = createSandbox({ size: 3, skipWaits: true });
  const client = new MainClient(sandbox);
  const copy = mirror(client, sqlite(new DatabaseSync(":memory:")), { resources: ["accounts", "courses"] });
  const never = { asOf: null, ageMs: Number.POSITIVE_INFINITY };
  expect(await copy.health()).toEqual({
    refused: [],
    waiting: 0,
    waitsUntil: null,
    lists: [
      { list: "accounts", ...never },
      { list: "courses", ...never },
    ],
  });
  sandbox.faults.next({ operation: "courses.list", status: 403, times: 10 });
  const since = new Date(sandbox.clock.now());
  await copy.sync();
  await sandbox.clock.advance(60_000);
  const { refused, lists } = await copy.health();
  expect(refused).toEqual([{ operation: "courses.list", status: 403, since: expect.any(Date) }]);
  expect((refused[0]?.since.getTime() ?? 0) - since.getTime()).toBeLessThan(60_000);
  expect(lists.map(({ list, ageMs }) => [list, Number.isFinite(ageMs)])).toEqual([
    ["accounts", true],
    ["courses", false],
  ]);
  expect(lists[0]?.ageMs).toBeGreaterThanOrEqual(60_000);
});
