import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { type BulkError, change, plan, type RunReport, rowsOf, run, settle } from "../../src/bulk/node.js";
import { runWith } from "../../src/bulk/node-bulk-run.js";
import { Memory } from "../../src/bulk/node-memory.js";
import { CODE_WORDS } from "../../src/bulk/node-plan-settings.js";
import { targetOf } from "../../src/bulk/target.js";
import { MainClient } from "../../src/index.js";
import { machineFiles } from "../../src/work/place/node-files.js";
import { filesThatAreFull, filesThatStopAt } from "../export/support/failing-files.js";
import { amount } from "../support/amount.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { connection, copies, each, people, renaming, school } from "./support/school.js";

const DAY_MS = 86_400_000;
const STRIDE = amount(5, 1);

function nights() {
  const at = testFolder();
  const { sandbox, client } = school();
  let shift = 0;
  /** Sets the clock of `users` to some days after the sandbox's. */
  const on = (day: number) => {
    shift = day * DAY_MS;
  };
  const skipping = sandbox.clock;
  const clock = {
    now: () => skipping.now() + shift,
    setTimeout: skipping.setTimeout.bind(skipping),
    clearTimeout: skipping.clearTimeout.bind(skipping),
    during: skipping.during.bind(skipping),
  };
  const { users } = new MainClient({ ...connection(sandbox), clock, retry: { limit: 0 } });
  const options = { to: at("a.plan"), key: "email" } as const;
  const keptNames = () => readdirSync(at(".")).filter((name) => /^a\.plan\.\d/.test(name));
  const memory = () => readFileSync(at("a.plan.memory"), "utf8");
  const idOf = (email: string) => [...sandbox.store.users].find((user) => user.email === email)?.id ?? 0;
  return { at, sandbox, client, users, on, options, keptNames, memory, idOf };
}

async function reasonsIn({ plan }: RunReport): Promise<readonly string[]> {
  const found = [];
  for await (const { why } of rowsOf(plan)) found.push(...why.map(({ message }) => message));
  return found;
}

test("the plans of the last days with a run are kept, and what they knew stays without keys and values", async () => {
  const { users, on, options, keptNames, memory, at } = nights();
  for (let day = 0; day < 12; day++) {
    on(day);
    const report = await run(users, people(1 + day), { ...options, keep: 3 });
    expect(report).toMatchObject({ created: 1, unchanged: day, complete: true });
  }
  expect(keptNames()).toHaveLength(3);
  // A clock that was set back does not make a plan the oldest.
  on(3);
  const { plan: back } = await run(users, people(13), { ...options, keep: 3 });
  expect(keptNames()).toContain(basename(back));
  expect(keptNames()).toHaveLength(3);
  expect(memory()).not.toMatch(/new-|@|Person/);
  expect(statSync(at("a.plan.memory")).mode & 0o777).toBe(0o600);
  expect(await run(users, people(13), options)).toMatchObject({ unchanged: 13, complete: true });
});

test("a plan that is not finished is never deleted", async () => {
  const { users, on, options, at } = nights();
  await run(users, people(1), { ...options, keep: 1 });
  const open = await run(users, people(2), { ...options, keep: 1, confirm: () => false });
  expect(open).toMatchObject({ open: 1, plan: at("a.plan") });
  on(2);
  expect(await run(users, people(2), { ...options, keep: 1, confirm: open.digest })).toMatchObject({ created: 1 });
});

test("a value that something sets back each night is told from the fifth night on, by field and record", async () => {
  const { users, on, options, sandbox, idOf } = nights();
  const rows = people(2).map((row) => ({ ...row, locale: "nl" }));
  await run(users, rows, options);
  const id = idOf("new-1@example.com");
  for (let day = 1; day <= 6; day++) {
    on(day);
    sandbox.store.users.update(id, { last_name: "Set back", locale: "en" });
    const report = await run(users, rows, options);
    expect(report).toMatchObject({ updated: 1, unchanged: 1, complete: true });
    const told = day <= 5 ? [] : ["last_name", "locale"].map((field) => ({ id, field, days: 5 }));
    const text = "was sent to this record on 5 days: something sets it back, or the service does not store it";
    expect(await reasonsIn(report)).toEqual(told.map(() => text));
    // Several runs of a day count once.
    sandbox.store.users.update(id, { last_name: "Set back" });
    expect(await run(users, rows, options)).toMatchObject({ updated: 1 });
    sandbox.store.users.update(id, { last_name: "Set back" });
    const again = await plan(users, rows, { ...options, to: options.to });
    expect(again.setBack).toEqual(day < 5 ? undefined : [{ id, field: "last_name", days: day }]);
  }
});

test("the last run without refused rows says which records it named", async () => {
  const { users, options } = nights();
  await run(users, people(2), options);
  const target = targetOf(users, {}, undefined, "plan");
  const memory = await Memory.of(options.to, target, machineFiles);
  expect(memory.named.size).toBe(2);
  expect(memory.last?.made).toMatch(/^\d{4}-/);
  // A refused row may name any record, so all stay.
  await run(users, [people(1)[0] as object, { email: "", first_name: "No", last_name: "Key" }], options);
  expect((await Memory.of(options.to, target, machineFiles)).named.size).toBe(2);
  await run(users, people(1), options);
  expect((await Memory.of(options.to, target, machineFiles)).named.size).toBe(1);
});

test("a change is not made again although its plan is gone", async () => {
  const { users, options, sandbox, at } = nights();
  await run(users, people(1), { ...options, to: at("b.plan") });
  const longer = change<{ last_name: string }>(({ last_name }) => ({ last_name: `${last_name}!` })) as never;
  const where = { to: options.to, where: "email contains new-" };
  const { plan: kept } = await run(users, longer, where);
  rmSync(kept);
  const error = await failure<BulkError>(run(users, longer, where));
  expect(error).toMatchObject({ reason: "carried_out" });
  expect(error.message).toMatch(/a\.plan was carried out on \d{4}-\d\d-\d\d\. Nothing was sent\./);
  expect([...sandbox.store.users].filter(({ last_name }) => last_name.endsWith("!"))).toHaveLength(1);
});

describe("a memory", () => {
  test("of another school, of another resource, or that was changed, is refused before anything is sent", async () => {
    const { users, client, options, sandbox, memory, at } = nights();
    await run(users, people(2), options);
    await run(users, people(3), options);
    const sent = sandbox.requests.length;
    const elsewhere = new MainClient({ ...connection(sandbox), baseUrl: "https://other.example" });
    const labels = { to: options.to, key: ["name", "model_type"] } as const;
    const messageOf = async (work: Promise<unknown>) => (await failure<BulkError>(work)).message;
    const name = `${at("a.plan")}.memory`;
    expect(await messageOf(run(elsewhere.users, people(2), options))).toBe(
      `${name} is the memory of users of another school. Nothing was sent: use another name.`,
    );
    expect(await messageOf(run(client.labels, [{ name: "New", model_type: "Lead" }], labels))).toBe(
      `${name} is the memory of users. Nothing was sent: use another name.`,
    );
    const text = memory();
    const lines = text.split("\n");
    const other = text.replace(/"i":(\d+)/, (_, id) => `"i":${Number(id) + 1}`);
    const changed = `${name} was changed after it was written`;
    for (const [wrong, why] of [
      [other, changed],
      [lines.toSpliced(1, 1).join("\n"), changed],
      [`${text}${lines.slice(-4).join("\n")}`, changed],
      [text.slice(0, 200), `${name} is not complete`],
      ["Buy milk\n", `${name} is not the memory of a run`],
    ] as const) {
      writeFileSync(name, wrong);
      expect(await messageOf(run(users, people(3), options))).toContain(why);
      expect(readFileSync(name, "utf8")).toBe(wrong);
    }
    expect(sandbox.requests).toHaveLength(sent);
    // Without it, the plans that are kept beside it are read once.
    rmSync(name);
    expect(await run(users, people(3), options)).toMatchObject({ unchanged: 3, complete: true });
    expect(existsSync(name)).toBe(true);
  });
});

test.each([
  ["is full", (step: number) => filesThatAreFull(step, Number.POSITIVE_INFINITY)],
  ["stops", (step: number) => filesThatStopAt(step, 0.5)],
])("if the disk %s at any step of a night, the next run loses and doubles nothing", async (_, failingAt) => {
  let steps = 0;
  for (let step = 1; ; step += STRIDE) {
    const { client, users, options, sandbox, keptNames } = nights();
    await run(users, people(2), { ...options, keep: 1 });
    await sandbox.clock.advance(DAY_MS);
    const disk = failingAt(step);
    const night = { ...options, keep: 1 };
    const ended = await runWith(disk.files, users, people(3), night as never, CODE_WORDS).catch(
      (error: Error) => error,
    );
    if (!disk.failed) break;
    if (ended instanceof Error) expect(ended.message).not.toContain("new-");
    const next = await run(users, people(4), night);
    expect(next.doubled).toBe(0);
    // A single create of which nothing proves that it was not carried out.
    if (!next.complete) {
      expect(await settle(client, options.to)).toMatchObject({ found: [], absent: [{ row: 3 }], open: [] });
      expect(await run(users, people(4), night)).toMatchObject({ created: 1, complete: true });
    }
    expect(copies(sandbox)).toEqual(each(4));
    const memory = await Memory.of(options.to, targetOf(users, {}, undefined, "plan"), machineFiles);
    expect(memory.named.size).toBe(4);
    expect(keptNames().every((name) => !name.includes(".part"))).toBe(true);
    steps++;
  }
  expect(steps * STRIDE).toBeGreaterThan(20);
});

describe("settle", () => {
  /** A create whose response was lost, and whose record the service has under another key, or not at all. */
  async function doubtful(isCreated: boolean) {
    const world = nights();
    const { sandbox, options } = world;
    // All people of the school are older than a day.
    await sandbox.clock.advance(2 * DAY_MS);
    const losing = new MainClient({
      ...connection(sandbox),
      retry: { limit: 0 },
      fetch: async (input, init) =>
        init?.method === "POST" && String(init.body).includes("new-2@")
          ? Promise.reject(new TypeError("lost"))
          : sandbox.fetch(input, init),
    });
    const odd = isCreated ? renaming(sandbox, "new-2@", "n2@") : losing;
    for (const _ of [1, 2]) expect(await run(odd.users, people(3), options)).toMatchObject({ unknown: 1 });
    expect(await run(odd.users, people(3), options)).toMatchObject({ refused: 1, unchanged: 2 });
    return world;
  }

  test("names the records that may be a row's own; the next run creates it if there is none", async () => {
    const { client, options, idOf, sandbox, at } = await doubtful(true);
    const id = idOf("n2@example.com");
    const { found, absent, open } = await settle(client, options.to);
    expect([found, absent]).toEqual([[], []]);
    expect(open).toEqual([{ row: 2, plan: expect.stringMatching(/^a\.plan\.\d{4}/), ids: [id] }]);
    expect(await run(client.users, people(3), options)).toMatchObject({ refused: 1 });
    expect(await settle(client, options.to, { absent: [2] })).toMatchObject({ absent: [{ row: 2 }], open: [] });
    expect(await run(client.users, people(3), options)).toMatchObject({ created: 1, unchanged: 2, complete: true });
    expect(await settle(client, options.to)).toEqual({ found: [], absent: [], open: [] });
    expect(copies(sandbox)).toEqual(each(3));
    const none = await failure(settle(client, at("b.plan")));
    expect(none.message).toBe(
      "settle: to must be the file of a run that has ended, with its .memory file next to it. Nothing was sent.",
    );
  });

  test("finds a record that has the key now", async () => {
    const { client, options, idOf } = await doubtful(true);
    const id = idOf("n2@example.com");
    await client.users.update(id, { email: "new-2@example.com" });
    expect(await settle(client, options.to)).toMatchObject({ found: [{ row: 2, ids: [id] }], absent: [], open: [] });
    expect(await run(client.users, people(3), options)).toMatchObject({ unchanged: 3, complete: true });
  });

  test("proves that a record does not exist if the list shows others of the run, and no record that may be it", async () => {
    const { client, options, sandbox } = await doubtful(false);
    const blind = new MainClient({
      ...connection(sandbox),
      fetch: async () =>
        new Response("[]", { status: 200, headers: { "content-type": "application/json", total: "0" } }),
    });
    expect(await settle(blind, options.to)).toMatchObject({ open: [{ row: 2, ids: [] }] });
    expect(await settle(client, options.to)).toMatchObject({ absent: [{ row: 2, ids: [] }], open: [] });
    expect(await run(client.users, people(3), options)).toMatchObject({ created: 1, complete: true });
    expect(copies(sandbox)).toEqual(each(3));
  });
});
