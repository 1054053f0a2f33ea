import { expect, test } from "vitest";
import { apply, type BulkJournal, plan, rowsOf } from "../../src/bulk/node.js";
import { wait } from "../../src/core/clock.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { amount } from "../support/amount.js";
import { chance } from "../support/chance.js";
import { testFolder } from "./support/folder.js";
import { connection } from "./support/school.js";
import { journalOf } from "./world/support/program.js";

const SEED = 20260105;
const CHANGES = amount(50, 1_000);
const TURNS = amount(2, 10);

function memoryJournal(kept: string[], written?: (lines: readonly string[]) => Promise<void>): BulkJournal {
  return {
    async append(lines) {
      kept.push(...lines);
      await written?.(lines);
    },
    lines: async function* () {
      yield* kept;
    },
    claim: async () => true,
  };
}

test(`of ${CHANGES} random changes by others, exactly those in a planned field make the row stale`, async () => {
  const at = testFolder();
  const sandbox = createSandbox({ size: CHANGES + 50, skipWaits: true });
  const client = new MainClient(sandbox);
  const random = chance(SEED);
  const FIELDS = ["first_name", "middle_name", "last_name", "notes_user", "student_number"] as const;
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
  const users = [...sandbox.store.users].slice(1);
  const planned = new Map<number, Set<string>>();
  const rows = users.map(({ id }) => {
    const fields = FIELDS.slice(0, 3).filter(() => random() < 0.6);
    planned.set(id, new Set(fields));
    return { id, ...Object.fromEntries(fields.map((field) => [field, `Planned ${id}`])) };
  });
  const { update } = await plan(client.users, rows, { to: at("a.plan"), key: "id" });
  expect(update).toBeGreaterThan(0.9 * CHANGES);
  const touched = new Map<number, string>();
  for (let change = 0; change < CHANGES; change++) {
    const { id } = users[change] as (typeof users)[number];
    const field = pick(FIELDS);
    sandbox.store.users.update(id, { [field]: `Foreign ${change}` });
    touched.set(id, field);
  }
  const report = await apply(client, at("a.plan"));
  const wrong: unknown[] = [];
  let stale = 0;
  for await (const { do: what, id, outcome, why } of rowsOf(at("a.plan"))) {
    const field = touched.get(id ?? 0) ?? "";
    const isStale = what === "update" && planned.get(id ?? 0)?.has(field) === true;
    if (isStale) stale++;
    if ((outcome === "stale") !== isStale || (isStale && why[0]?.field !== field)) wrong.push({ id, outcome, field });
    for (const name of isStale ? [field] : []) {
      if (String(sandbox.store.users.get(id ?? 0)?.[name as "first_name"]).startsWith("Planned"))
        wrong.push({ id, name });
    }
  }
  expect(wrong).toEqual([]);
  expect(stale).toBeGreaterThan(CHANGES / 5);
  expect(report).toMatchObject({ stale, updated: update - stale });
}, 300_000);

test(`of ${4 * TURNS} creates that the service carries out after the run looked for them, every duplicate is reported`, async () => {
  const random = chance(SEED);
  let doubles = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    const sandbox = createSandbox({ size: "small", skipWaits: true });
    const client = new MainClient({ ...connection(sandbox), retry: { limit: 2 } });
    const rows = Array.from({ length: 8 }, (_, row) => ({ title: `Lead ${row}`, email: `lead-${row}@example.com` }));
    // A journal in memory: with a file, a clock that skips waits would count the time for the disk as waiting.
    const to = memoryJournal([]);
    await plan(client.leads, rows, { to, key: ["title", "email"] });
    // The library looks for a create without a response after 60 s, and for one that was sent twice 180 s after the
    // last request.
    const late = Array.from({ length: 4 }, () => ({
      operation: "leads.create" as const,
      delayMs: Number.POSITIVE_INFINITY,
      appliedAfterMs: 30_000 + Math.floor(random() * 205_000),
    }));
    sandbox.faults.next({ operation: "leads.create" }, ...late);
    const { doubled, created } = await apply(client, to);
    const copies = new Map<string, number[]>();
    for (const { title, id } of sandbox.store.leads) {
      if (title?.startsWith("Lead ")) copies.set(title, [...(copies.get(title) ?? []), id]);
    }
    const double = [...copies.values()].filter((ids) => ids.length > 1);
    expect({ doubled, created }).toEqual({ doubled: double.length, created: 8 - double.length });
    const messages: string[] = [];
    for await (const { outcome, why } of rowsOf(to)) if (outcome === "doubled") messages.push(why[0]?.message ?? "");
    expect(messages.sort()).toEqual(double.map((ids) => `2 records have this key: ${ids.join(", ")}`).sort());
    doubles += doubled;
  }
  expect(doubles).toBeGreaterThan(TURNS);
  expect(doubles).toBeLessThan(4 * TURNS);
});

test.each([
  [30_000, 0],
  [0, 16],
])("of 400 rows that two operators apply %i ms apart, at most %i are created twice", async (ms, most) => {
  const at = testFolder();
  const sandbox = createSandbox({ empty: true, skipWaits: true });
  sandbox.store.leads.insert({ title: "Old", status: "prospect" } as never);
  const rows = Array.from({ length: 400 }, (_, row) => ({ title: `Lead ${row}`, status: "prospect" }));
  const [one, other] = [new MainClient(sandbox), new MainClient({ ...sandbox, apiKey: sandbox.createKey() })];
  await plan(one.leads, rows, { to: at("one.plan"), key: "title" });
  await plan(other.leads, rows, { to: at("other.plan"), key: "title" });
  const applyMessage = (client: MainClient, path: string) => apply(client, path).catch(({ message }: Error) => message);
  const [first, second] = await Promise.all([
    applyMessage(one, at("one.plan")),
    wait(sandbox.clock, ms, undefined).then(() => applyMessage(other, at("other.plan"))),
  ]);
  const titles = [...sandbox.store.leads].map(({ title }) => title);
  expect(titles.length - new Set(titles).size).toBeLessThanOrEqual(most);
  const stopped = [first, second].filter((end) => typeof end === "string");
  if (ms > 0) expect(stopped).toEqual([]);
  else expect(stopped).toContainEqual(expect.stringContaining("another run is creating the same rows"));
  // Restarts every operator, including those that have stopped.
  for (const [client, path] of [
    [one, at("one.plan")],
    [other, at("other.plan")],
  ] as const)
    await apply(client, path);
  expect(new Set([...sandbox.store.leads].map(({ title }) => title)).size).toBe(401);
});

test("a line that took longer to write than a request may take is written again, so that it gives the time of its request", async () => {
  const sandbox = createSandbox({ size: "small", skipWaits: true });
  const lines: string[] = [];
  const left: number[] = [];
  let isSlow = true;
  const to = memoryJournal(lines, async (more) => {
    if (!isSlow || !more.some((line) => line.includes('"try"'))) return;
    isSlow = false;
    await sandbox.clock.advance(90_000);
  });
  const fetch: typeof sandbox.fetch = async (input, init) => {
    if (new Request(input, init).method === "POST") {
      const at = lines.flatMap((line) => (JSON.parse(line) as { try?: number }).try ?? []).at(-1) ?? 0;
      left.push(sandbox.clock.now() - at);
    }
    return sandbox.fetch(input, init);
  };
  const client = new MainClient({ ...connection(sandbox), fetch });
  await plan(client.leads, [{ title: "Lead", email: "lead@example.com" }], { to, key: "email" });
  expect(await apply(client, to)).toMatchObject({ created: 1 });
  expect(isSlow).toBe(false);
  expect(left).toHaveLength(1);
  expect(left[0]).toBeLessThan(30_000);
});

test("a sandbox that skips waits skips none while a line is written, however slow the disk is", async () => {
  const sandbox = createSandbox({ size: "small", skipWaits: true });
  const client = new MainClient({ ...connection(sandbox), retry: { limit: 2 } });
  const rows = ["A", "B", "C"].map((title) => ({ title, email: `${title}@example.com` }));
  const to = memoryJournal([], () => new Promise((resolve) => setTimeout(resolve, 40)));
  await plan(client.leads, rows, { to, key: ["title", "email"] });
  const late = { delayMs: Number.POSITIVE_INFINITY, appliedAfterMs: 130_000 };
  sandbox.faults.next({ operation: "leads.create" }, { operation: "leads.create", ...late });
  expect(await apply(client, to)).toMatchObject({ created: 2, doubled: 1 });
});

test("a record whose reading took unusually long is read again if the disk takes longer than a reading usually does", async () => {
  const sandbox = createSandbox({ size: "small", skipWaits: true, rateLimit: false });
  const ids = [...sandbox.store.accounts].slice(0, 12).map(({ id }) => id);
  let read = 0;
  const client = new MainClient({
    ...sandbox,
    fetch: async (...request) => {
      const { method, url } = new Request(...request);
      const response = await sandbox.fetch(...request);
      if (method === "GET" && url.endsWith(`/accounts/${ids[11]}`) && ++read === 1) await sandbox.clock.advance(25_000);
      return response;
    },
  });
  const journal = journalOf([]);
  const isTried = (line: string) => line.includes('"row":12,"try"');
  const append: typeof journal.append = async (lines) => {
    if (lines.some(isTried) && read === 1) await sandbox.clock.advance(10_000);
    return journal.append(lines);
  };
  const rows = ids.map((id) => ({ id, phone: `+31 20 ${id}` }));
  await plan(client.accounts, rows, { to: journal, key: "id" });
  expect(read).toBe(0);
  expect(await apply(client, { ...journal, append })).toMatchObject({ updated: 12, complete: true });
  expect(read).toBe(2);
});
