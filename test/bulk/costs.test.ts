import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { apply, plan, undo } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { amount } from "../support/amount.js";
import { testFolder } from "./support/folder.js";
import { copies, each, people, school } from "./support/school.js";

const MANY = amount(200, 10_000);

test("a few rows are looked up one by one if the list filters by their key in any case", async () => {
  const at = testFolder();
  const sandbox = createSandbox({ size: 3000, skipWaits: true });
  const client = new MainClient(sandbox);
  const known = sandbox.store.users.get(2500)?.email ?? "";
  const rows = [
    { email: known.toUpperCase(), first_name: "Changed" },
    { email: "new@example.com", first_name: "N", last_name: "P" },
  ];
  const summary = await plan(client.users, rows, { to: at("a.plan"), key: "email" });
  expect(summary).toMatchObject({ create: 1, update: 1 });
  expect(summary.read).toBeLessThan(8);
  const sent = sandbox.requests.length;
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 1, updated: 1, complete: true });
  expect(sandbox.requests.length - sent).toBe(summary.requests);
});

test("many rows in a list of 3,000 records read the pages of the list", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: 3000, skipWaits: true }));
  const rows = Array.from({ length: MANY }, (_, index) => ({
    email: `p${index}@example.com`,
    first_name: "A",
    last_name: "B",
  }));
  expect(await plan(client.users, rows, { to: at("a.plan"), key: "email" })).toMatchObject({
    create: MANY,
    read: 30,
  });
});

test("the announced requests and duration are the actual ones", async () => {
  const at = testFolder();
  const sandbox = createSandbox({ size: "small", skipWaits: true });
  const client = new MainClient({ ...sandbox, rateLimit: { ...sandbox.rateLimit, requests: 125 } });
  const rows = Array.from({ length: 175 }, (_, index) => ({ name: `Label ${index}`, model_type: "Lead" }));
  const summary = await plan(client.labels, rows, { to: at("a.plan"), key: ["name", "model_type"] });
  const start = sandbox.clock.now();
  const sent = sandbox.requests.length;
  await apply(client, at("a.plan"));
  const requests = sandbox.requests.length - sent;
  expect(Math.abs(requests - summary.requests)).toBeLessThanOrEqual(0.02 * requests);
  const minutes = (sandbox.clock.now() - start) / 60_000;
  expect(summary.minutes).toBe(10);
  expect(Math.abs(minutes - summary.minutes)).toBeLessThanOrEqual(0.1 * summary.minutes);
});

// The number of rows in the plan; in one case, all but 20 of them are in doubt.
const ROWS = amount(60, 400);

test.each([1, ROWS - 20])(
  "a run after a kill reads the new part of the list only once, whether %i rows are in doubt or one",
  async (doubts) => {
    const at = testFolder();
    const { sandbox, client } = school(300);
    const rows = ROWS;
    await plan(client.users, people(rows), { to: at("a.plan"), key: "email" });
    await apply(client, at("a.plan"));
    // Removes the last outcomes, as if the process had ended before they reached the disk.
    const lines = readFileSync(at("a.plan"), "utf8").split("\n");
    const done = lines.filter((line) => line.includes('"done":"created"'));
    const lost = new Set(done.slice(-doubts));
    writeFileSync(at("a.plan"), lines.filter((line) => !lost.has(line) && !line.includes('"confirmed"')).join("\n"));
    const before = sandbox.requests.length;
    expect(await apply(client, at("a.plan"))).toMatchObject({ created: rows, complete: true });
    const sent = sandbox.requests.slice(before);
    expect(sent.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(sent.length).toBeLessThanOrEqual(Math.ceil(rows / 100) + 2);
    expect(copies(sandbox)).toEqual(each(rows));
  },
);

// The number of requests that each step took before the library proved success; the proofs may add at most 4%, and the
// readings between updates one for each doubling of their number.
const BEFORE: Readonly<Record<number, Readonly<Record<string, number>>>> = {
  100: { create: 103, delete: 113, update: 113 },
  1000: { create: 1_012, delete: 1_125, update: 1_125 },
};

test.each([100, 1_000].slice(0, amount(1, 2)))(
  "%i creates, updates and deletes take few more requests than without any proof",
  async (rows) => {
    const at = testFolder();
    const sandbox = createSandbox({ size: "small", skipWaits: true });
    const client = new MainClient(sandbox);
    const labels = (color: string) =>
      Array.from({ length: rows }, (_, n) => ({ name: `Label ${n}`, color, model_type: "Lead" as const }));
    const carriedOut = async (path: string) => {
      const before = sandbox.requests.length;
      expect(await apply(client, path)).toMatchObject({ complete: true });
      return sandbox.requests.length - before;
    };
    await plan(client.labels, labels("#111111"), { to: at("a.plan"), key: "name" });
    const create = await carriedOut(at("a.plan"));
    await undo(at("a.plan"), { to: at("b.plan"), creates: "delete" });
    const gone = await carriedOut(at("b.plan"));
    await plan(client.labels, labels("#111111"), { to: at("c.plan"), key: "name" });
    await apply(client, at("c.plan"));
    await plan(client.labels, labels("#222222"), { to: at("d.plan"), key: "name" });
    const sent = { create, delete: gone, update: await carriedOut(at("d.plan")) };
    for (const [what, requests] of Object.entries(sent)) {
      const before = BEFORE[rows]?.[what] ?? 0;
      const most = Math.floor(1.04 * before + (what === "update" ? Math.log2(rows) : 0));
      expect([what, before, Math.min(requests, most)]).toEqual([what, before, requests]);
    }
  },
  200_000,
);
