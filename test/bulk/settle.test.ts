import { appendFileSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { apply, type BulkProgress, plan } from "../../src/bulk/node.js";
import { factLine } from "../../src/bulk/node-state.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { testFolder } from "./support/folder.js";
import { connection, copies, createdNumbers, each, people, school } from "./support/school.js";

/** A plan of three leads. The service carries out the second create after a delay and never responds to it. */
async function late(appliedAfterMs: number) {
  const at = testFolder();
  const { sandbox, client } = school();
  const rows = people(3).map(({ email }) => ({ title: email, email }));
  await plan(client.leads, rows, { to: at("a.plan"), key: "email" });
  const lost = { operation: "leads.create", delayMs: Number.POSITIVE_INFINITY, appliedAfterMs } as const;
  sandbox.faults.next({ operation: "leads.create" }, lost);
  const sends = () => sandbox.calls("leads.create").length;
  return { sends, run: (settleMs?: number) => apply(client, at("a.plan"), { settleMs }) };
}

test("a create without a response is looked for after twice the maximum response time", async () => {
  const { sends, run } = await late(59_000);
  expect(await run()).toMatchObject({ created: 3, complete: true });
  expect(sends()).toBe(3);
});

test("an earlier look sends the create again, and reports if the service then carries out both", async () => {
  const { sends, run } = await late(59_000);
  expect(await run(31_000)).toMatchObject({ created: 2, doubled: 1 });
  expect(sends()).toBe(4);
});

test("a later look finds a create that was carried out late", async () => {
  const { sends, run } = await late(199_000);
  expect(await run(200_000)).toMatchObject({ created: 3, complete: true });
  expect(sends()).toBe(3);
});

test.each([
  ["long ago is not waited for", -60_000, []],
  ["a moment ago is waited for as long as is left", -59_000, [1]],
  ["in the future, as the clock was set back, is waited for once", 1_000_000, [60]],
] as const)("a create that was sent %s waits until its request can no longer arrive", async (_, sentAt, expected) => {
  const at = testFolder();
  const { sandbox, client } = school();
  const { digest } = await plan(client.users, people(3), { to: at("a.plan"), key: "email" });
  const start = sandbox.clock.now();
  appendFileSync(at("a.plan"), `${factLine({ row: 1, try: start + sentAt }, digest)}\n`);
  const waits: number[] = [];
  const onProgress = ({ waitingUntil, waitingFor }: BulkProgress) => {
    // Rounded, because the sandbox's clock also advances with the machine's clock.
    if (waitingUntil && waitingFor === "proof") waits.push(Math.round((waitingUntil.getTime() - start) / 1_000));
  };
  expect(await apply(client, at("a.plan"), { onProgress })).toMatchObject({ created: 3, complete: true });
  expect(waits.slice(0, expected.length)).toEqual(expected);
  expect(createdNumbers(sandbox)).toEqual([2, 3, 1]);
  expect(copies(sandbox)).toEqual(each(3));
});

test.each([
  [undefined, 2],
  [1_300_000, 1],
])(
  "after its line is written, a create waits for the rate limiter for at most half of settleMs (%s)",
  async (settleMs, lines) => {
    const at = testFolder();
    const sandbox = createSandbox({ size: "small", skipWaits: true, rateLimit: false });
    let isFirst = true;
    const fetch: typeof sandbox.fetch = async (...request) => {
      if (isFirst) {
        isFirst = false;
        // Other calls use up the window.
        await Promise.all(Array.from({ length: 9 }, () => client.users.get(1)));
      }
      return sandbox.fetch(...request);
    };
    const rateLimit = { requests: 10, windowMs: 600_000, reserve: 0 };
    const client = new MainClient({ ...connection(sandbox), fetch, rateLimit });
    await plan(new MainClient(sandbox).users, people(1), { to: at("a.plan"), key: "email" });
    expect(await apply(client, at("a.plan"), { share: 1, settleMs })).toMatchObject({ created: 1, complete: true });
    expect(readFileSync(at("a.plan"), "utf8").match(/"try":/g)).toHaveLength(lines);
    expect(copies(sandbox)).toEqual(each(1));
  },
);
