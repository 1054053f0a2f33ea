import { DatabaseSync } from "node:sqlite";
import type { PGlite } from "@electric-sql/pglite";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { apply, type BulkError, type BulkJournal, plan, rowsOf, undo, writeReport } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { bulkJournal as postgresJournal } from "../../src/stores/postgres/index.js";
import { bulkJournal as sqliteJournal } from "../../src/stores/sqlite/index.js";
import { amount } from "../support/amount.js";
import { failure } from "../support/manual-clock.js";
import { startPglite } from "../support/pglite.js";
import { testFolder } from "./support/folder.js";

// Shared by all tests, because it takes seconds to start.
let postgres: PGlite | undefined;
afterAll(() => postgres?.close());

type Open = () => Promise<(name: string) => BulkJournal>;
const DATABASES: readonly (readonly [string, Open])[] = [
  [
    "SQLite",
    async () => {
      const file = testFolder()("journal.sqlite");
      return (name) => {
        const database = new DatabaseSync(file);
        onTestFinished(() => database.close());
        return sqliteJournal(database, name);
      };
    },
  ],
  [
    "Postgres",
    async () => {
      postgres ??= await startPglite();
      const database = postgres;
      onTestFinished(async () => void (await database.exec("drop schema public cascade; create schema public")));
      return (name) => postgresJournal(database, name);
    },
  ],
];

const people = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    email: `new-${at}@example.com`,
    first_name: "New",
    last_name: `P${at}`,
  }));

// Postgres takes seconds to start.
describe.each(DATABASES.slice(0, amount(1, 2)))("a journal in %s", (_, open) => {
  test("stores a plan, its outcomes, and the plan that undoes it", async () => {
    const journal = await open();
    const sandbox = createSandbox({ size: "small", skipWaits: true });
    const client = new MainClient(sandbox);
    const rows = people(1500);
    await plan(client.users, people(2), { to: journal("students"), key: "email" });
    // A plan that has sent nothing may be replaced.
    const summary = await plan(client.users, rows.slice(0, 3), { to: journal("students"), key: "email" });
    sandbox.faults.next({ operation: "users.create" }, { operation: "users.create", reset: true, applied: true });
    const report = await apply(client, journal("students"), { confirm: summary.digest });
    expect(report).toMatchObject({ created: 3, complete: true });
    const outcomes: unknown[] = [];
    for await (const { outcome } of rowsOf(journal("students"))) outcomes.push(outcome);
    expect(outcomes).toEqual(["created", "created", "created"]);
    await writeReport(journal("students"), testFolder()("report.csv"));
    expect(await undo(journal("students"), { to: journal("back") })).toMatchObject({ leave: 3 });
    expect(await plan(client.users, rows, { to: journal("many"), key: "email" })).toMatchObject({
      create: 1497,
      leave: 3,
    });
    const sent = sandbox.requests.length;
    expect(await apply(client, journal("students"))).toMatchObject({ created: 3 });
    expect(sandbox.requests).toHaveLength(sent);
  });

  test("keeps a plan if the planning of its replacement is interrupted", async () => {
    const journal = await open();
    const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));
    const { digest } = await plan(client.users, people(2), { to: journal("a"), key: "email" });
    async function* failingRows() {
      yield* people(1200);
      throw new Error("interrupted");
    }
    await failure(plan(client.users, failingRows(), { to: journal("a"), key: "email" }));
    let lines = 0;
    for await (const _ of journal("a").lines()) lines++;
    expect(lines).toBeGreaterThan(1000);
    for (let run = 0; run < 2; run++) {
      expect(await apply(client, journal("a"), { confirm: digest })).toMatchObject({ created: 2, complete: true });
    }
  });

  test("is used by one process at a time, until its claim ends", async () => {
    const journal = await open();
    const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));
    await plan(client.users, people(1), { to: journal("a"), key: "email" });
    expect(await journal("a").claim("one", 60_000)).toBe(true);
    expect(await journal("a").claim("one", 60_000)).toBe(true);
    expect(await journal("b").claim("other", 60_000)).toBe(true);
    // Only the process that holds a claim can release it.
    expect(await journal("a").claim("two", 0)).toBe(false);
    expect(await failure<BulkError>(apply(client, journal("a")))).toMatchObject({ reason: "in_use" });
    expect(await journal("a").claim("one", 0)).toBe(true);
    // A claim that ends too far in the future, as if its holder's clock were an hour fast, blocks no one.
    expect(await journal("a").claim("one", 3_600_000)).toBe(true);
    expect(await journal("a").claim("two", 60_000)).toBe(true);
    expect(await journal("a").claim("two", 0)).toBe(true);
    expect(await apply(client, journal("a"))).toMatchObject({ created: 1 });
  });

  test("refuses an invalid name", async () => {
    const journal = await open();
    expect(() => journal("")).toThrow("bulkJournal: name must be text");
  });
});
