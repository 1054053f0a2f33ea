import { expect, test } from "vitest";
import { apply, plan } from "../../src/bulk/node.js";
import type { Fault } from "../../src/sandbox/index.js";
import { testFolder } from "./support/folder.js";
import { people, school } from "./support/school.js";

// The length of a window, minus the longest time between the permit of a request and its arrival.
const WINDOW_MS = 300_000 - 10_000;
const SHARE = 20;
const FAULTS: readonly Fault[] = [{ status: 503 }, { reset: true, applied: true }, { html: true }, { retryAfter: 1 }];

/** The highest number of requests in any period of that length. */
function most(times: readonly number[]): number {
  return Math.max(...times.map((from, at) => times.slice(at).filter((time) => time < from + WINDOW_MS).length));
}

test.each([
  ["users", "email"],
  ["courses", "id"],
] as const)("no window contains more requests than the share of %s, including repeated ones", async (name, key) => {
  const at = testFolder();
  const { sandbox, client } = school();
  const changed = [...sandbox.store[name]].slice(1, 16);
  const rows =
    name === "users"
      ? [
          ...people(15),
          ...changed.map((user) => ({ email: (user as { email?: string }).email, first_name: "Changed" })),
        ]
      : changed.map(({ id }) => ({ id, name: `Changed ${id}` }));
  await plan(client[name] as typeof client.users, rows as never, { to: at("a.plan"), key: key as never });
  const sent = sandbox.requests.length;
  for (const fault of FAULTS) sandbox.faults.next({ ...fault, probability: 0.2, times: 2 } as Fault);
  const report = await apply(client, at("a.plan"), { share: SHARE / 500 });
  expect(report.created + report.updated).toBe(rows.length);
  const times = sandbox.requests.slice(sent).map((request) => request.at);
  expect(times).toHaveLength(report.requests);
  expect(times.length).toBeGreaterThan(rows.length + FAULTS.length);
  expect(most(times)).toBeLessThanOrEqual(SHARE);
});

test("if only the list shows changed records and has more pages than the share, reading it takes several windows", async () => {
  const at = testFolder();
  const { sandbox, client } = school(350);
  const changed = [...sandbox.store.affiliations].slice(0, 5);
  const rows = changed.map(({ id, key_contact }) => ({ id, key_contact: !key_contact }));
  const { read } = await plan(client.affiliations, rows, { to: at("a.plan"), key: "id" });
  const sent = sandbox.requests.length;
  expect(await apply(client, at("a.plan"), { share: 3 / 500 })).toMatchObject({ updated: 5, complete: true });
  expect(read).toBeGreaterThan(3);
  expect(most(sandbox.requests.slice(sent).map((request) => request.at))).toBeLessThanOrEqual(3);
});
