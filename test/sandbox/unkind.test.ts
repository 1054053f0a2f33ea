import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { apply, plan, undo } from "../../src/bulk/node.js";
import { doctor } from "../../src/doctor/index.js";
import { exportTo } from "../../src/export/node.js";
import { MainClient } from "../../src/index.js";
import { mirror, sqlite } from "../../src/mirror/index.js";
import { createSandbox, type SandboxOptions } from "../../src/sandbox/index.js";
import { createWebhookHandler, memoryStore, recoverWebhooks } from "../../src/webhooks/index.js";
import { toolsOf } from "../assistant/support.js";
import { testFolder } from "../bulk/support/folder.js";
import { World } from "../schools/support/world.js";
import { drawCases } from "../support/amount.js";

// The library must keep its promises even where the service's documents leave something open: with the least kind
// service and with 20 randomly drawn ones.
const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);
const KINDS: readonly (readonly [string, SandboxOptions["manners"]])[] = [
  ["the least kind", "least kind"],
  ...drawCases(SEEDS, 1).map((seed) => [`drawn by ${seed}`, { seed }] as const),
];

const world = (manners: SandboxOptions["manners"]) => {
  const sandbox = createSandbox({ size: 120, manners, skipWaits: true, rateLimit: false });
  return { sandbox, client: new MainClient({ ...sandbox.main, on: { drift: () => undefined } }) };
};

test.each(KINDS)(
  "created and changed records can be read, and a missing one throws NotFoundError: %s",
  async (_, manners) => {
    const { sandbox, client } = world(manners);
    const { id } = await client.accounts.create({ name: "Example Ltd" });
    await sandbox.clock.advance(3_000);
    expect((await client.accounts.get(id)).name, JSON.stringify(sandbox.manners)).toBe("Example Ltd");
    await client.accounts.update(id, { name: "Other Ltd" });
    await sandbox.clock.advance(3_000);
    expect((await client.accounts.get(id)).name).toBe("Other Ltd");
    await expect(client.accounts.get(999_999)).rejects.toMatchObject({ name: "NotFoundError" });
  },
);

test.each(KINDS)(
  "seeded records can be changed, and ordered if a kind service accepts the order: %s",
  async (_, manners) => {
    const { sandbox, client } = world(manners);
    const { store } = sandbox;
    const updateAll = async (list: Iterable<{ readonly id: number }>, update: (id: number) => Promise<unknown>) => {
      for (const { id } of [...list]) await update(id);
    };
    await updateAll(store.accounts, (id) => client.accounts.update(id, { name: "A" }));
    await updateAll(store.users, (id) => client.users.update(id, { last_name: "A" }));
    await updateAll(store.courses, (id) => client.courses.update(id, { name: "A" }));
    await updateAll(store.plannedCourses, (id) => client.plannedCourses.update(id, { custom: {} }));
    await updateAll(store.programs, (id) => client.programs.update(id, { name: "A" }));
    await updateAll(store.programEditions, (id) => client.programEditions.update(id, { name: "A" }));
    await updateAll(store.tasks, (id) => client.tasks.update(id, { name: "A" }));
    await updateAll(store.labels, (id) => client.labels.update(id, { name: `A${id}` }));
    const orderEach = async (at: ReturnType<typeof world>) => {
      const ids: number[] = [];
      for (const { id } of [...at.sandbox.store.catalogVariants]) {
        const order = { catalog_variant_id: id, creator_id: 100, student_ids: [100], approve: true };
        await at.client.orders.create(order).then(
          () => ids.push(id),
          () => undefined,
        );
      }
      return ids;
    };
    expect(await orderEach({ sandbox, client }), JSON.stringify(sandbox.manners)).toEqual(
      expect.arrayContaining(await orderEach(world(undefined))),
    );
  },
);

test.each(KINDS)("an export contains every record once: %s", async (_, manners) => {
  const { sandbox, client } = world(manners);
  const at = testFolder();
  const { records } = await exportTo(at("a.csv"), client.invoices.list(), {
    format: "csv",
    columns: ["id", "total_incl"],
  });
  const ids = readFileSync(at("a.csv"), "utf8")
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => Number(line.split(",")[0]));
  expect(records, JSON.stringify(sandbox.manners)).toBe(120);
  expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_each, at) => at + 1));
});

test.each(KINDS)("an assistant counts and adds exactly: %s", async (_, manners) => {
  const { sandbox, client } = world(manners);
  const { count } = toolsOf(client, { show: ["names"] });
  const sum = [...sandbox.store.invoices].reduce(
    (all, { total_incl }) => all + Math.round(Number(total_incl) * 100),
    0,
  );
  const answer = await count?.({ from: "invoices", sum: "total_incl" });
  expect(answer, JSON.stringify(sandbox.manners)).toMatchObject({ count: 120, complete: true });
  const total = answer?.sum_total_incl as string | Record<string, string>;
  const sums = typeof total === "string" ? [total] : Object.values(total);
  expect(sums.reduce((all, each) => all + Math.round(Number(each) * 100), 0)).toBe(sum);
});

test.each(KINDS)("the doctor finishes and sends only GETs: %s", async (_, manners) => {
  const { sandbox, client } = world(manners);
  const { requests } = await doctor(client);
  const sent = sandbox.requests.map(({ method }) => method);
  expect(sent, JSON.stringify(sandbox.manners)).toEqual(Array(requests).fill("GET"));
});

test.each(KINDS)("a school can be connected, and its tokens are refreshed: %s", async (_, manners) => {
  // Without `iss`, each school needs an address of its own.
  const oauth = { redirectUri: "https://agency.example/callback/school-1.example" };
  const world = new World(1, { manners, oauth });
  const schools = world.schools({ redirectUri: ({ id }) => `https://agency.example/callback/${id}` });
  const school = await world.connect(schools, 1);
  const read = async () => {
    const client = (await schools.client(school)) as MainClient;
    return (await world.until(client.accounts.get(1))).id;
  };
  expect(await read(), JSON.stringify(world.sandbox(1).manners)).toBe(1);
  await world.pass(4_000_000);
  expect(await read(), JSON.stringify(world.sandbox(1).manners)).toBe(1);
});

test.each(KINDS)("lists are complete, and each page leads to the next: %s", async (_, manners) => {
  const { sandbox, client } = world(manners);
  for (const list of [client.accounts, client.users, client.invoices]) {
    const records = await list.list({ per_page: 30 }).toArray({ max: 500 });
    expect(
      records.map(({ id }) => id).sort((a, b) => a - b),
      JSON.stringify(sandbox.manners),
    ).toEqual(Array.from({ length: 120 }, (_each, at) => at + 1));
  }
});

test.each(KINDS)("many records by identifier, joined records and a missing one can be read: %s", async (_, manners) => {
  const { sandbox, client } = world(manners);
  const many = await client.accounts.getMany([3, 7, 999]);
  expect(
    many.map((record) => record?.id),
    JSON.stringify(sandbox.manners),
  ).toEqual([3, 7, undefined]);
  await expect(client.accounts.get(999)).rejects.toMatchObject({ status: 404 });
  const joined = await client.enrollments.list({ per_page: 20 }).with({ student: true }).toArray({ max: 20 });
  for (const { student, student_id } of joined) expect(student?.id).toBe(student_id);
});

test.each(KINDS)("an update of one field keeps the other custom fields: %s", async (_, manners) => {
  const { sandbox, client } = world(manners);
  const at = testFolder();
  const before = sandbox.store.accounts.get(3);
  const rows = [{ id: 3, custom: { sector: before?.custom.sector === "care" ? "retail" : "care" } }];
  await plan(client.accounts, rows as never, { to: at("a.plan"), key: "id" });
  const report = await apply(client, at("a.plan"));
  expect(report, JSON.stringify(sandbox.manners)).toMatchObject({ unknown: 0 });
  expect({ ...sandbox.store.accounts.get(3)?.custom, sector: null }).toEqual({ ...before?.custom, sector: null });
});

test.each(KINDS)("a mirror contains every record and follows changes: %s", async (_, manners) => {
  const { sandbox, client } = world(manners);
  const database = new DatabaseSync(":memory:");
  const copy = mirror(client, sqlite(database), { resources: ["accounts"] });
  const ids = () =>
    database
      .prepare("SELECT id FROM accounts ORDER BY id")
      .all()
      .map(({ id }) => Number(id));
  await copy.sync();
  expect(ids(), JSON.stringify(sandbox.manners)).toEqual(Array.from({ length: 120 }, (_each, at) => at + 1));
  sandbox.store.accounts.update(7, { name: "Other Ltd" });
  await sandbox.clock.advance(600_000);
  await copy.sync();
  const row = database.prepare("SELECT name FROM accounts WHERE id = 7").get();
  expect(row, JSON.stringify(sandbox.manners)).toEqual({ name: "Other Ltd" });
});

test.each(KINDS)("undo of creates deletes no other record: %s", async (_, manners) => {
  const { sandbox, client } = world(manners);
  const at = testFolder();
  const rows = ["New A", "New B", "New C"].map((name) => ({ name, model_type: "Lead" as const }));
  await plan(client.labels, rows, { to: at("a.plan"), key: "name" });
  const before = new Set(sandbox.store.labels.filter(() => true).map(({ id }) => id));
  await apply(client, at("a.plan"));
  expect(sandbox.store.labels.filter(({ name }) => name.startsWith("New"))).toHaveLength(3);
  await undo(at("a.plan"), { to: at("back.plan"), creates: "delete" });
  await apply(client, at("back.plan"));
  const left = new Set(sandbox.store.labels.filter(() => true).map(({ id }) => id));
  expect(
    [...before].filter((id) => !left.has(id)),
    JSON.stringify(sandbox.manners),
  ).toEqual([]);
});

test.each(KINDS)("every event is handled, even if deliveries are repeated, late and lost: %s", async (_, manners) => {
  const { sandbox, client } = world(manners);
  const inbox = memoryStore();
  const handler = createWebhookHandler({ store: inbox, signature: { secrets: "secret" }, clock: sandbox.clock });
  const handled: unknown[] = [];
  handler.on("account.created", (event) => void handled.push(event.event_data.id));
  sandbox.webhooks.subscribe({ to: handler, secrets: "secret" });
  for (const name of ["A", "B", "C"]) sandbox.store.accounts.insert({ name });
  await sandbox.webhooks.settled();
  const since = new Date(sandbox.clock.now() - 86_400_000);
  await recoverWebhooks(client, { inbox, since, clock: sandbox.clock });
  handler.wake();
  const expected = [...sandbox.store.accounts].slice(-3).map(({ id }) => id);
  // A thin delivery that is repeated looks like a second change, so it may be handled again.
  await expect
    .poll(() => [...new Set(handled)].toSorted(), { message: JSON.stringify(sandbox.manners) })
    .toEqual(expected);
});
