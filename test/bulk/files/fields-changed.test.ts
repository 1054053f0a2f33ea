import { expect, test } from "vitest";
import { type FieldCounts, plan, run } from "../../../src/bulk/node.js";
import { planSentence } from "../../../src/cli/tell/bulk-words.js";
import { MainClient } from "../../../src/index.js";
import { createSandbox } from "../../../src/sandbox/index.js";
import { failure } from "../../support/manual-clock.js";
import { testFolder } from "../support/folder.js";

const MANY = 30;
const people = Array.from({ length: MANY }, (_, at) => ({
  email: `u${at}@example.org`,
  first_name: `First ${at}`,
  last_name: `Last ${at}`,
  middle_name: `M${at}`,
}));

function nights() {
  const at = testFolder();
  const sandbox = createSandbox({ empty: true, skipWaits: true, data: { users: people } });
  const client = new MainClient({ ...sandbox, rateLimit: false });
  const counted: (Readonly<Record<string, FieldCounts>> | undefined)[] = [];
  const night = (rows: readonly object[], options: object = {}) =>
    run(client.users, rows, {
      to: at("a.plan"),
      key: "email",
      confirm: ({ fields }: { fields?: Readonly<Record<string, FieldCounts>> }) => {
        counted.push(fields);
        return true;
      },
      settleMs: 60,
      ...options,
    } as never);
  return { at, sandbox, client, night, counted };
}

test("a column that was sorted or moved apart stops the plan, without an earlier run too", async () => {
  const { at, client, night } = nights();
  const moved = people.map(({ email }, row) => ({ ...people[(row + 1) % MANY], email }));
  const error = await failure(plan(client.users, moved as never, { to: at("b.plan"), key: "email" }));
  expect(error.message).toMatch(/^Nothing was planned or sent: most values of first_name would go to another/);
  expect(error.message).toContain("pass allow shuffled");
  await expect(night(moved)).rejects.toMatchObject({ reason: "unlikely" });

  expect(await night(moved, { allow: ["shuffled"] })).toMatchObject({ updated: MANY });
});

test("lessons that each move to the time of the next one are not shuffled", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "medium", skipWaits: true }));
  const meetings = (await client.meetings.list().toArray({ max: 40 })).filter(({ start_date_time: one }) => one);
  const rows = meetings.map(({ id }, row) => ({
    id,
    start_date_time: meetings[(row + 1) % meetings.length]?.start_date_time,
  }));
  expect((await plan(client.meetings, rows as never, { to: at("a.plan"), key: "id" })).update).toBeGreaterThan(20);
});

test("a column that changes or empties in most rows stops a run if it did not in the last one", async () => {
  const { night, counted } = nights();
  expect(await night(people)).toMatchObject({ unchanged: MANY });
  const renamed = people.map((one, row) => ({ ...one, last_name: `Other ${row}` }));
  await expect(night(renamed)).rejects.toThrow(
    "last_name would be changed in 30 of 30 rows; in the last run, it was changed in 0 of 30. If this is intended, pass allow mostly_changed",
  );
  const empty = people.map((one) => ({ ...one, middle_name: "" }));
  await expect(night(empty, { clear: ["middle_name"] })).rejects.toThrow("pass allow mostly_cleared");
  // Without `clear`, empty cells change nothing.
  expect(await night(empty)).toMatchObject({ unchanged: MANY });
  expect(await night(renamed, { allow: ["mostly_changed"] })).toMatchObject({ updated: MANY });
  expect(counted.at(-1)).toEqual({
    first_name: { rows: MANY, changed: 0, cleared: 0, last: 0 },
    last_name: { rows: MANY, changed: MANY, cleared: 0, last: 0 },
    middle_name: { rows: MANY, changed: 0, cleared: 0 },
  });
  // The last run changed as many, and a column that it did not have has no last time.
  const again = renamed.map((one, row) => ({ ...one, last_name: `Third ${row}` }));
  expect(await night(again)).toMatchObject({ updated: MANY });
});

test("the command shows the changes of each field before it asks", () => {
  const fields = {
    first_name: { rows: 30, changed: 2, cleared: 1 },
    phone: { rows: 30, changed: 0, cleared: 0 },
    last_name: { rows: 30, changed: 30, cleared: 0, last: 0 },
  };
  const none = { create: 0, leave: 0, refuse: 0, reasons: [], requests: 60, minutes: 1, read: 1, digest: "d" };
  expect(planSentence({ ...none, update: 30, fields }, "a.plan")).toContain(
    "Changes:\n  last_name changes in 30 of 30 rows; last time in 0\n  first_name changes in 2 of 30 rows, empty in 1\nTo apply",
  );
});
