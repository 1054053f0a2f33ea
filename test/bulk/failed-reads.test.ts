import { expect, test } from "vitest";
import { apply, type BulkError, plan, run } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import type { Fault } from "../../src/sandbox/index.js";
import { drawCases } from "../support/amount.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { connection, copies, each, outcomes, people, school } from "./support/school.js";

const FAULTS: readonly Fault[] = [
  { status: 503 },
  { status: 408 },
  { html: true },
  { cut: true },
  { reset: true },
  { retryAfter: 2 },
  { delayMs: Number.POSITIVE_INFINITY },
];

/** A plan that creates two users and corrects three others, each of which is read separately. */
async function planKnown() {
  const at = testFolder();
  const { sandbox, client } = school();
  const known = [2, 3, 4].map((id) => sandbox.store.users.get(id)?.email ?? "");
  const rows = [...people(2), ...known.map((email) => ({ email, first_name: "Changed", last_name: "Name" }))];
  await plan(client.users, rows, { to: at("a.plan"), key: "email" });
  const sent = sandbox.requests.length;
  const writes = () => sandbox.requests.slice(sent).filter(({ method }) => method !== "GET").length;
  return { sandbox, writes, to: at("a.plan"), run: () => apply(client, at("a.plan")) };
}

test.each(drawCases(FAULTS, 4))(
  "a read that fails five times is repeated, and no row ends because of it: %j",
  async (fault) => {
    const { sandbox, run } = await planKnown();
    sandbox.faults.next({ operation: "users.list", times: 5, ...fault } as Fault);
    sandbox.faults.next({ operation: "users.get", times: 5, ...fault } as Fault);
    expect(await run()).toMatchObject({ created: 2, updated: 3, complete: true });
  },
);

test.each([
  // Changes are sent before the list is read for the creates.
  ["users.list", 3, [null, null, "updated", "updated", "updated"]],
  ["users.get", 0, [null, null, null, null, null]],
] as const)("a run whose %s keeps failing stops, and the next run continues", async (operation, written, rows) => {
  const { sandbox, writes, to, run } = await planKnown();
  for (const fault of [{ status: 503 }, { status: 403 }, { html: true }] as const) {
    sandbox.faults.next({ operation, times: 1_000, ...fault } as Fault);
    expect(await failure<BulkError>(run())).toMatchObject({ reason: "stopped" });
    sandbox.faults.clear();
    expect(writes()).toBe(written);
    expect(Object.values(await outcomes(to))).toEqual(rows);
  }
  expect(await run()).toMatchObject({ created: 2, updated: 3, complete: true });
  expect(copies(sandbox)).toEqual(each(2));
});

test.each([[null], [1], [{}], [{ id: "7" }]])(
  "a list that contains %j is refused, and no plan is made",
  async (record) => {
    const { sandbox } = school();
    const text = JSON.stringify([{ id: 7 }, record]);
    const fetch = async () => new Response(text, { headers: { "content-type": "application/json" } });
    const client = new MainClient({ ...connection(sandbox), fetch });
    const work = run(client.users, people(2), { to: testFolder()("a.plan"), key: "email" });
    expect(await failure(work)).toMatchObject({
      code: "response_format",
      message: "users.list: the response has a record without an identifier.",
    });
  },
);
