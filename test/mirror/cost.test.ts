import { describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { spansOf } from "../../src/mirror/seen.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { copyOf, recordsOf } from "./support/copies.js";

const ROWS = 300;

/** A copy of enrollments whose database records each update of a row. */
async function counting(fetchOf: (fetch: Sandbox["fetch"]) => Sandbox["fetch"] = (fetch) => fetch) {
  const sandbox = createSandbox({ size: ROWS, skipWaits: true, rateLimit: false });
  const client = new MainClient({ ...sandbox, fetch: fetchOf(sandbox.fetch), pageSize: 50 });
  const made = copyOf(sandbox, client, { resources: ["enrollments"] });
  const { enrollments } = sandbox.store;
  expect((await made.copy.sync()).complete).toBe(true);
  made.database.exec(`CREATE TABLE writes (id INTEGER);
    CREATE TRIGGER count_writes AFTER UPDATE ON enrollments BEGIN INSERT INTO writes VALUES (NEW.id); END`);
  const writes = () => {
    const ids = made.database.prepare("SELECT id FROM writes ORDER BY id").all();
    made.database.exec("DELETE FROM writes");
    return ids.map(({ id }) => id);
  };
  const ranges = () => made.database.prepare("SELECT first, last FROM mirror_ranges ORDER BY first").all();
  return { ...made, sandbox, enrollments, writes, ranges };
}

/** Returns a `fetch` that changes the order of the records on each page. */
function reorder(by: (ids: { readonly id: number }[]) => { readonly id: number }[]) {
  return (fetch: Sandbox["fetch"]): Sandbox["fetch"] =>
    async (input, init) => {
      const response = await fetch(input, init);
      const body = (await response.json()) as { readonly id: number }[];
      const headers = new Headers(response.headers);
      headers.delete("content-length");
      return new Response(JSON.stringify(Array.isArray(body) ? by(body) : body), { status: response.status, headers });
    };
}

describe("a sweep writes", () => {
  test("no row of an unchanged record", async () => {
    const { copy, writes, ranges } = await counting();
    for (let sweep = 1; sweep <= 3; sweep++) {
      expect((await copy.sync()).complete).toBe(true);
      expect(writes()).toEqual([]);
      expect(ranges()).toHaveLength(ROWS / 50);
    }
  });

  test("the rows of records that have changed or are gone, once", async () => {
    const { copy, enrollments, writes, records } = await counting();
    enrollments.update(70, { end_date: "2031-01-01" });
    enrollments.delete(120);
    enrollments.insert();
    expect((await copy.sync()).lists).toMatchObject([{ added: 1, changed: 1, gone: 1, complete: true }]);
    expect(writes()).toEqual([70, 120]);
    expect(records("enrollments")).toEqual(recordsOf(enrollments));
    enrollments.delete(121);
    expect((await copy.sync()).lists).toMatchObject([{ gone: 1, complete: true }]);
    expect(writes()).toEqual([121]);
    expect(records("enrollments")).toEqual(recordsOf(enrollments));
  });

  test("no row if the newest records come first", async () => {
    const { copy, writes } = await counting(reorder((records) => records.reverse()));
    await copy.sync();
    expect(writes()).toEqual([]);
  });
});

test("a record that was read before a sweep and stored during it is marked as gone if the sweep's list lacked it", async () => {
  const held = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  let applied: Promise<unknown> | null = null;
  let isHeld = false;
  let pages = 0;
  const { copy, sandbox, enrollments, records } = await counting((fetch) => async (input, init) => {
    const { pathname } = new URL(String(input));
    const answer = await fetch(input, init);
    if (pathname.endsWith("/60") && isHeld && applied === null) {
      read.resolve();
      await held.promise;
    }
    // The mirror stored the page with this record two pages ago.
    if (applied && pathname.endsWith("/enrollments") && ++pages === 4) {
      held.resolve();
      await applied;
    }
    return answer;
  });
  enrollments.delete(60);
  await copy.sync();
  enrollments.insert({ id: 60 });
  isHeld = true;
  const applying = sandbox.clock.during(() => copy.apply({ event: "enrollment.created", event_data: { id: 60 } }));
  await read.promise;
  applied = applying;
  enrollments.delete(60);
  expect((await copy.sync()).lists).toMatchObject([{ gone: 1, complete: true }]);
  expect(await applying).toMatchObject({ outcome: "written" });
  expect(records("enrollments")).toEqual(recordsOf(enrollments));
});

test("spans exclude records that a page lacked", () => {
  expect(spansOf([1, 2, 3], [])).toEqual([[1, 3]]);
  expect(spansOf([1, 5, 9], [])).toEqual([[1, 9]]);
  expect(spansOf([1, 5, 9, 12], [2, 10, 11])).toEqual([
    [1, 1],
    [5, 9],
    [12, 12],
  ]);
  expect(spansOf([4], [])).toEqual([[4, 4]]);
});
