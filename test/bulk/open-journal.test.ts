import { expect, test } from "vitest";
import { apply, type BulkError, type BulkJournal, plan, rowsOf } from "../../src/bulk/node.js";
import { openJournal } from "../../src/bulk/node-journal.js";
import { machineFiles } from "../../src/work/place/node-files.js";
import { failure, ManualClock } from "../support/manual-clock.js";
import { people, school } from "./support/school.js";

/** A journal in memory that records the claims on it. */
function memory(lines: string[] = []) {
  const claims: [owner: string, forMs: number][] = [];
  const state = { isFree: true };
  const journal: BulkJournal = {
    append: async (more) => void lines.push(...more),
    lines: async function* () {
      yield* lines;
    },
    claim: async (owner, forMs) => {
      claims.push([owner, forMs]);
      return state.isFree;
    },
  };
  return { journal, lines, claims, state };
}

async function outcomesOf(journal: BulkJournal) {
  const all: unknown[] = [];
  for await (const { row, outcome } of rowsOf(journal)) all.push([row, outcome]);
  return all;
}

test("a journal is claimed for two minutes, claimed again after twenty seconds, and released", async () => {
  const { journal, lines, claims } = memory();
  const clock = new ManualClock();
  const open = await openJournal(journal, false, clock, machineFiles);
  await clock.advance(19_999);
  await open.append("a", "b");
  expect(claims.map(([, forMs]) => forMs)).toEqual([120_000]);
  await clock.advance(1);
  await open.append("c");
  await clock.advance(19_999);
  await open.append("d");
  expect(claims.map(([, forMs]) => forMs)).toEqual([120_000, 120_000]);
  await open.finish();
  await open.close();
  expect(claims.map(([, forMs]) => forMs)).toEqual([120_000, 120_000, 0]);
  expect(new Set(claims.map(([owner]) => owner)).size).toBe(1);
  expect(lines).toEqual(["a", "b", "c", "d"]);
});

test("a process that has lost its claim writes nothing more", async () => {
  const { journal, lines, state } = memory();
  const clock = new ManualClock();
  const open = await openJournal(journal, false, clock, machineFiles);
  state.isFree = false;
  await clock.advance(20_000);
  expect(await failure<BulkError>(open.append("a"))).toMatchObject({
    reason: "stopped",
    message: "the journal was changed by another process. Nothing more was sent.",
  });
  expect(lines).toEqual([]);
});

test("a process that may have lost its claim claims no other journal, writes nothing more and releases only its own claim", async () => {
  for (const [ms, backMs] of [
    [100_000, 0],
    // The clock was set back in between.
    [60_000, 10_800_000],
  ] as const) {
    for (const fresh of [false, true]) {
      const { journal, lines, claims } = memory();
      const clock = new ManualClock();
      const open = await openJournal(journal, fresh, clock, machineFiles);
      await clock.advance(ms);
      if (backMs > 0) {
        claims.pop();
        await open.renew();
        await clock.advance(-backMs);
        await open.append("kept");
        await clock.advance(100_000);
      }
      for (const attempt of [() => open.append("a"), () => open.renew()]) {
        expect(await failure<BulkError>(attempt), `${backMs}`).toMatchObject({
          reason: "stopped",
          message: `the journal: the right to write to it was not renewed in time, so another process may have taken it. ${fresh ? "No plan was made; plan the rows again" : "Nothing more was sent; apply the plan again"}.`,
        });
      }
      expect(lines).toEqual(backMs > 0 ? ["kept"] : []);
      await open.close();
      expect(claims.map(([, forMs]) => forMs)).toEqual([120_000, 0]);
    }
  }
});

test("a claim runs from before the request for it, and after a line that took too long nothing is written", async () => {
  const { journal, lines } = memory();
  const clock = new ManualClock();
  const open = await openJournal(journal, false, clock, machineFiles);
  const slow = (name: "append" | "claim", ms: number) => {
    const quick = journal[name] as (...given: unknown[]) => Promise<never>;
    Object.assign(journal, {
      [name]: async (...given: unknown[]) => {
        await clock.advance(ms);
        return quick(...given);
      },
    });
  };
  await clock.advance(20_000);
  slow("claim", 60_000);
  await open.append("a");
  slow("append", 90_000);
  expect(await failure<BulkError>(open.append("b"))).toMatchObject({ reason: "stopped" });
  expect(lines).toEqual(["a", "b"]);
});

test("a run that waits longer than its claim lasts renews the claim", async () => {
  const { sandbox, client } = school();
  const { journal } = memory();
  await plan(client.users, people(2), { to: journal, key: "email" });
  const [limited, answered] = [{ operation: "users.create", retryAfter: 1200 }, { operation: "users.create" }] as const;
  sandbox.faults.next(answered, limited);
  expect(await apply(client, journal)).toMatchObject({ created: 2, complete: true });
});

test("a journal held by another process is reported as in use, and nothing is read from the service", async () => {
  const { sandbox, client } = school();
  const { journal, state } = memory();
  state.isFree = false;
  expect(await failure<BulkError>(plan(client.users, people(1), { to: journal, key: "email" }))).toMatchObject({
    name: "BulkError",
    reason: "in_use",
    message:
      "the journal is in use by another process; a killed process keeps it for up to 2 minutes. Nothing was sent.",
  });
  expect(sandbox.requests).toHaveLength(0);
});

test("a journal whose plan has sent something accepts no other plan, and is released", async () => {
  const { sandbox, client } = school();
  const { journal, lines, claims } = memory();
  await plan(client.users, people(2), { to: journal, key: "email" });
  await apply(client, journal);
  const before = [...lines];
  const sent = sandbox.requests.length;
  expect(await failure(plan(client.users, people(3), { to: journal, key: "email" }))).toMatchObject({
    code: "input",
    message: expect.stringContaining("the journal is a plan that has sent requests: apply it, or call run"),
  });
  expect(sandbox.requests).toHaveLength(sent);
  expect(claims.at(-1)).toEqual([claims.at(-2)?.[0], 0]);
  expect(lines).toEqual(before);
});

test("an unfinished plan leaves the previous one unchanged", async () => {
  const { sandbox, client } = school();
  const { journal, lines } = memory();
  async function* failingRows() {
    yield* people(700, 100);
    throw new Error("interrupted");
  }
  const begin = () => failure(plan(client.users, failingRows(), { to: journal, key: "email" }));
  await begin();
  expect(await failure<BulkError>(apply(client, journal))).toMatchObject({ reason: "not_a_plan" });
  const { digest } = await plan(client.users, people(2), { to: journal, key: "email" });
  const whole = lines.length;
  await begin();
  expect(lines.length).toBeGreaterThan(whole);
  expect(await outcomesOf(journal)).toEqual([
    [1, null],
    [2, null],
  ]);
  sandbox.faults.next({ operation: "users.create" }, { operation: "users.create", status: 403 });
  expect(await apply(client, journal, { confirm: digest })).toMatchObject({ created: 1, failed: 1 });
  expect(await apply(client, journal)).toMatchObject({ created: 2, complete: true });
  expect(await outcomesOf(journal)).toEqual([
    [1, "created"],
    [2, "created"],
  ]);
});

test("a new plan is refused if the previous one sends something while it is made", async () => {
  const { client } = school();
  const { journal, lines } = memory();
  const other = memory();
  await plan(client.users, people(2), { to: journal, key: "email" });
  await plan(client.users, people(3), { to: other.journal, key: "email" });
  const [header = "", ...rest] = other.lines;
  lines.push(header, '{"row":1,"try":1}', ...rest);
  expect(await failure<BulkError>(apply(client, journal))).toMatchObject({
    reason: "not_a_plan",
    message:
      "the journal contains a line that no run wrote: look in the service for the records of its rows, then move it away. Nothing was sent.",
  });
});

test("a plan of a later version, and lines that are not a plan, are refused", async () => {
  const { client } = school();
  for (const line of ['{"bulk":2}', '{"row":1}', "[]", "null", "7", "{"]) {
    const { reason, message } = await failure<BulkError>(apply(client, memory([line]).journal));
    expect({ reason, message }).toEqual({
      reason: "not_a_plan",
      message: `the journal ${/^\{"/.test(line) || line === "[]" ? "is not a plan of this version; use another plan, or the version that made this one" : "is not a plan"}. Nothing was sent.`,
    });
  }
  expect(await failure<BulkError>(apply(client, memory().journal))).toMatchObject({
    message: "the journal is not a complete plan; plan the rows again. Nothing was sent.",
  });
});

test("a database that fails for a while loses nothing, and a line that it stored nevertheless counts once", async () => {
  const { sandbox, client } = school();
  const { journal, lines } = memory();
  await plan(client.users, people(3), { to: journal, key: "email" });
  let failures = 0;
  const odd: BulkJournal = {
    ...journal,
    async append(more) {
      const isKept = failures % 2 === 0;
      if (isKept) await journal.append(more);
      if (failures++ % 3 < 2 && failures < 12) throw new Error("the database is restarting");
      if (!isKept) await journal.append(more);
    },
  };
  expect(await apply(client, odd)).toMatchObject({ created: 3, complete: true });
  expect(new Set(lines).size).toBeLessThan(lines.length);
  expect(sandbox.calls("users.create")).toHaveLength(3);
  expect(await apply(client, journal)).toMatchObject({ created: 3, complete: true, requests: 0 });
});

test("planning ends if the database fails: lines that it stored nevertheless are not written again", async () => {
  const { client } = school();
  const { journal, lines } = memory();
  let writes = 0;
  const failing: BulkJournal = {
    ...journal,
    append: async (more) => {
      await journal.append(more);
      if (++writes === 1) throw new Error("the connection was lost");
    },
  };
  const error = await failure(plan(client.users, people(2), { to: failing, key: "email" }));
  expect(String(error)).toContain("the connection was lost");
  expect([writes, new Set(lines).size]).toEqual([1, lines.length]);
  expect(await plan(client.users, people(2), { to: failing, key: "email" })).toMatchObject({ create: 2 });
});
