import { describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import type { ListReport, MirrorOptions } from "../../src/mirror/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { copyOf, recordsOf } from "./support/copies.js";

async function syncedMirror(
  sandbox: Sandbox,
  list: "accounts" | "credits" | "enrollments" = "accounts",
  options: MirrorOptions<"accounts"> = {},
) {
  const client = new MainClient({ ...sandbox, pageSize: 20, retry: false });
  const made = copyOf(sandbox, client, { ...options, resources: [list] });
  const [report] = (await made.copy.sync()).lists;
  expect(report?.complete).toBe(true);
  const run = async (accept = false): Promise<ListReport> => {
    const { lists } = await made.copy.sync(accept ? { accept: [list] } : {});
    return lists[0] as ListReport;
  };
  const goneIds = () =>
    made.database
      .prepare(`SELECT id FROM ${list} WHERE gone_at IS NOT NULL ORDER BY id`)
      .all()
      .map(({ id }) => id);
  return { ...made, run, goneIds };
}

const sandboxOf = (size = 60) => createSandbox({ size, skipWaits: true });

describe("a deleted record", () => {
  test("is marked after two reads of it, before and after which existing records were read", async () => {
    const sandbox = sandboxOf();
    const { run, goneIds, database } = await syncedMirror(sandbox);
    sandbox.store.accounts.delete(7);
    const before = sandbox.requests.length;
    expect(await run()).toMatchObject({ gone: 1, complete: true, held: null, error: null });
    expect(goneIds()).toEqual([7]);
    const single = sandbox.requests.slice(before).filter(({ operation }) => operation === "accounts.get");
    expect(single.map(({ status }) => status)).toEqual([200, 404, 404, 200]);
    expect(database.prepare("SELECT count(*) AS rows FROM accounts").get()).toEqual({ rows: 60 });
    expect(database.prepare("SELECT count(*) AS rows FROM current_accounts").get()).toEqual({ rows: 59 });
  });

  test("of a list without single reads is marked after the list was read four times", async () => {
    const sandbox = sandboxOf();
    const { run, goneIds } = await syncedMirror(sandbox, "credits");
    const pages = Math.ceil(sandbox.store.credits.count / 20);
    sandbox.store.credits.delete(7);
    expect(await run()).toMatchObject({ gone: 1, complete: true, requests: 4 * pages });
    expect(goneIds()).toEqual([7]);
  });

  test("that comes back is current again", async () => {
    const sandbox = sandboxOf();
    const { run, goneIds, records } = await syncedMirror(sandbox);
    const record = sandbox.store.accounts.get(7);
    sandbox.store.accounts.delete(7);
    await run();
    sandbox.store.accounts.insert(record);
    expect(await run()).toMatchObject({ changed: 1, complete: true });
    expect(goneIds()).toEqual([]);
    expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
  });
});

describe("no row is marked", () => {
  test("if the key lost a scope", async () => {
    const sandbox = sandboxOf();
    const { run, goneIds } = await syncedMirror(sandbox);
    sandbox.store.accounts.delete(7);
    sandbox.faults.next({ operation: "accounts.list", status: 403, times: Number.POSITIVE_INFINITY });
    const report = await run();
    expect(report).toMatchObject({ complete: false, gone: 0 });
    expect(report.error?.name).toBe("PermissionDeniedError");
    expect(goneIds()).toEqual([]);
  });

  test("if the list is empty", async () => {
    const sandbox = sandboxOf();
    const { run, goneIds } = await syncedMirror(sandbox);
    sandbox.faults.next({ operation: "accounts.list", body: [] });
    expect(await run()).toMatchObject({ complete: false, gone: 0, held: { reason: "empty", missing: 60 } });
    expect(goneIds()).toEqual([]);
  });

  test("if the list is empty while its records can be read, even if a person accepts that", async () => {
    const sandbox = sandboxOf();
    const { run, goneIds } = await syncedMirror(sandbox);
    sandbox.faults.next({ operation: "accounts.list", body: [] });
    expect(await run(true)).toMatchObject({ complete: false, gone: 0, held: { reason: "half" } });
    expect(goneIds()).toEqual([]);
  });

  test("if the list ended too early", async () => {
    const sandbox = sandboxOf();
    const { run, goneIds } = await syncedMirror(sandbox);
    const few = [...sandbox.store.accounts].slice(0, 50);
    sandbox.faults.next({ operation: "accounts.list", body: few });
    expect(await run()).toMatchObject({
      complete: false,
      gone: 0,
      held: { reason: "half", missing: 10, stillThere: 10 },
    });
    expect(goneIds()).toEqual([]);
    expect(await run()).toMatchObject({ complete: true, held: null });
  });

  test("if it ended with an empty page", async () => {
    const sandbox = sandboxOf(300);
    const { run, goneIds } = await syncedMirror(sandbox, "credits");
    const pages = Math.ceil(sandbox.store.credits.count / 20);
    expect(pages).toBeGreaterThan(2);
    // Each run reads the list from its start once more before it gives up, so two reads must fail.
    for (const before of [pages - 1, pages - 2]) {
      for (let page = 0; page < before; page++) sandbox.faults.next({ operation: "credits.list", delayMs: 1 });
      sandbox.faults.next({ operation: "credits.list", body: [] });
    }
    expect((await run()).error?.message).toContain("ended with an empty page");
    expect(goneIds()).toEqual([]);
    expect(await run()).toMatchObject({ complete: true });
  });

  test.each([60, 61, null])("if its last page is empty and the service counts %s of 60", async (total) => {
    const sandbox = sandboxOf();
    const fetch: typeof sandbox.fetch = async (input, init) => {
      const url = new URL(String(input));
      if (url.searchParams.get("cursor") === "end") return Response.json([], { headers: totalOf(total) });
      const response = await sandbox.fetch(input, init);
      const headers = new Headers({ ...Object.fromEntries(response.headers), ...totalOf(total) });
      if (total === null) headers.delete("total");
      if (/rel="next"/.test(headers.get("link") ?? "")) return new Response(response.body, { headers });
      url.searchParams.set("cursor", "end");
      headers.set("link", `<${url}>; rel="next"`);
      return new Response(response.body, { headers });
    };
    const totalOf = (count: number | null): Record<string, string> => (count === null ? {} : { total: `${count}` });
    const client = new MainClient({ ...sandbox, fetch, pageSize: 20, retry: false });
    const { copy, records } = copyOf(sandbox, client, { resources: ["accounts"] });
    const [report] = (await copy.sync()).lists;
    expect(report).toMatchObject({ complete: total !== 61, requests: total === 60 ? 4 : 8, gone: 0 });
    expect(records("accounts").size).toBe(60);
  });

  test.each([1, 3])(
    "if full page %i has no next link although the service counts more; a small difference proves nothing",
    async (lost) => {
      const sandbox = sandboxOf(63);
      let [isLost, more] = [true, 0];
      const fetch: typeof sandbox.fetch = async (input, init) => {
        const response = await sandbox.fetch(input, init);
        const headers = new Headers(response.headers);
        const body = await response.text();
        const [first] = JSON.parse(body) as { id: number }[];
        if (isLost && first?.id === (lost - 1) * 20 + 1) headers.delete("link");
        headers.set("total", `${Number(headers.get("total")) + more}`);
        return new Response(body, { headers });
      };
      const client = new MainClient({ ...sandbox, fetch, pageSize: 20, retry: false });
      const { copy, records } = copyOf(sandbox, client, { resources: ["accounts"] });
      for (let run = 0; run < 2; run++) {
        const [report] = (await copy.sync()).lists;
        expect(report).toMatchObject({ complete: false, gone: 0, asOf: null });
        expect(report?.error?.message).toBe(`Mirror: accounts ended after ${lost * 20} of 63 records`);
      }
      [isLost, more] = [false, 0];
      expect(await copy.sync()).toMatchObject({ complete: true });
      expect(records("accounts").size).toBe(63);
      // Now the list's pages are full, and its `total` header counts more records than the list shows.
      for (let id = 61; id <= 63; id++) sandbox.store.accounts.delete(id);
      more = 2;
      const other = copyOf(sandbox, client, { resources: ["accounts"] });
      expect(await other.copy.sync()).toMatchObject({ complete: true });
    },
  );

  test("if single reads give 404 for every record, because the key or the path is wrong", async () => {
    const sandbox = sandboxOf();
    const { run, goneIds } = await syncedMirror(sandbox);
    sandbox.store.accounts.delete(7);
    sandbox.faults.next({ operation: "accounts.get", status: 404, times: Number.POSITIVE_INFINITY });
    expect(await run()).toMatchObject({ complete: false, gone: 0, held: { reason: "unproven", missing: 1 } });
    expect(goneIds()).toEqual([]);
  });

  test("if single reads return another record", async () => {
    const sandbox = sandboxOf();
    const { run, goneIds, records } = await syncedMirror(sandbox);
    const before = records("accounts");
    sandbox.store.accounts.delete(7);
    const body = { ...sandbox.store.accounts.get(8), name: "Somebody else" };
    sandbox.faults.next({ operation: "accounts.get", status: 200, body, times: Number.POSITIVE_INFINITY });
    const report = await run();
    expect([report.complete, report.error?.name]).toEqual([false, "ResponseFormatError"]);
    expect(goneIds()).toEqual([]);
    expect(records("accounts")).toEqual(before);
  });

  test("if the proof is interrupted; the next run continues it without reading the list again", async () => {
    const sandbox = sandboxOf();
    const { run, goneIds } = await syncedMirror(sandbox);
    sandbox.store.accounts.delete(7);
    sandbox.faults.next({ operation: "accounts.get", status: 503 });
    expect(await run()).toMatchObject({ complete: false, gone: 0 });
    expect(goneIds()).toEqual([]);
    expect(await run()).toMatchObject({ complete: true, gone: 1, read: 0 });
  });
});

describe("more missing rows than holdAbove", () => {
  test("hold the run until a person accepts them", async () => {
    const sandbox = sandboxOf(200);
    const { run, goneIds } = await syncedMirror(sandbox);
    for (let id = 1; id <= 30; id++) sandbox.store.accounts.delete(id);
    expect(await run()).toMatchObject({ gone: 0, held: { reason: "many", missing: 30, sampled: 5, stillThere: 0 } });
    expect(goneIds()).toEqual([]);
    expect(await run(true)).toMatchObject({ gone: 30, complete: true, held: null });
    expect(goneIds()).toHaveLength(30);
  });

  test("that reappear before or while a person accepts them are not marked", async () => {
    const sandbox = sandboxOf(200);
    const { run, goneIds } = await syncedMirror(sandbox);
    const away = sandbox.snapshot();
    for (let id = 1; id <= 30; id++) sandbox.store.accounts.delete(id);
    expect(await run()).toMatchObject({ gone: 0, held: { reason: "many", missing: 30 } });
    sandbox.restore(away);
    for (let id = 1; id <= 25; id++) sandbox.store.accounts.delete(id);
    expect(await run(true)).toMatchObject({ gone: 25, complete: true, held: null });
    expect(goneIds()).toHaveLength(25);
  });

  test("beyond the number of single reads wait for the next run", async () => {
    const sandbox = sandboxOf(200);
    const { run, goneIds } = await syncedMirror(sandbox, "accounts", { holdAbove: { rows: 140 } });
    for (let id = 1; id <= 140; id++) sandbox.store.accounts.delete(id);
    expect(await run()).toMatchObject({ gone: 100, pending: 40, complete: false, held: null });
    expect(await run()).toMatchObject({ gone: 40, pending: 0, complete: true });
    expect(goneIds()).toHaveLength(140);
  });

  test.each([true, false])("are each read, so that no readable one is marked; accepted: %s", async (accept) => {
    const sandbox = sandboxOf(accept ? 400 : 240);
    const listed = new Set<number>();
    const client = new MainClient({
      ...sandbox,
      retry: false,
      // The list leaves out three accounts that can still be read, just as the service's lists leave out archived
      // records.
      fetch: async (input, init) => {
        const response = await sandbox.fetch(input, init);
        if (!/\/accounts\?/.test(String(input)) || listed.size === 0) return response;
        const records = (await response.json()) as { id: number }[];
        return new Response(JSON.stringify(records.filter(({ id }) => listed.has(id))), response);
      },
    });
    const { copy, records } = copyOf(sandbox, client, { resources: ["accounts"], holdAbove: { rows: 200 } });
    await copy.sync();
    const ids = [...sandbox.store.accounts].map(({ id }) => id);
    const missing = ids.filter((id) => (accept ? id % 5 < 3 : id % 2 === 0));
    for (const id of ids) if (!missing.includes(id)) listed.add(id);
    const [archived, deleted] = [missing.slice(0, 3), missing.slice(3)];
    for (const id of deleted) sandbox.store.accounts.delete(id);
    const run = async () => (await copy.sync({ accept: accept ? ["accounts"] : [] })).lists[0];
    let gone = 0;
    for (let left = accept ? 1 : 3; left > 0; left--) gone += (await run())?.gone ?? 0;
    expect(gone).toBe(deleted.length);
    expect(archived.filter((id) => records("accounts").has(id))).toEqual(archived);
    expect(await run()).toMatchObject({ complete: true, gone: 0, held: null });
  });
});

describe("a list that has really become empty", () => {
  test.each(["accounts", "enrollments", "credits"] as const)("is held until a person accepts it: %s", async (list) => {
    const sandbox = sandboxOf(130);
    const { run, goneIds } = await syncedMirror(sandbox, list);
    const ids = [...sandbox.store[list]].map(({ id }) => Number(id));
    for (const id of ids) sandbox.store[list].delete(id);
    expect(await run()).toMatchObject({ gone: 0, held: { reason: "empty", missing: ids.length } });
    expect(await run(true)).toMatchObject({ gone: ids.length, complete: true, held: null });
    expect(goneIds()).toEqual(ids.sort((a, b) => a - b));
    expect(await run()).toMatchObject({ gone: 0, complete: true, held: null });
  });
});

test("a list that omits its only records although they can be read needs no person", async () => {
  const sandbox = sandboxOf(3);
  let isEmptied = false;
  const client = new MainClient({
    ...sandbox,
    retry: false,
    fetch: async (input, init) => {
      const response = await sandbox.fetch(input, init);
      return isEmptied && /\/accounts\?/.test(String(input)) ? Response.json([]) : response;
    },
  });
  const { copy, records } = copyOf(sandbox, client, { resources: ["accounts"] });
  await copy.sync();
  isEmptied = true;
  const held = { reason: "half", missing: 3, sampled: 3, stillThere: 3 };
  expect((await copy.sync()).lists[0]).toMatchObject({ complete: false, gone: 0, held });
  expect((await copy.sync()).lists[0]).toMatchObject({ complete: true, gone: 0, held: null });
  expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
  sandbox.store.accounts.delete(2);
  expect((await copy.sync()).lists[0]).toMatchObject({ complete: false, gone: 0, held: { reason: "empty" } });
});

test("a record with the identifier 0, which the client cannot request, does not keep a list incomplete", async () => {
  const sandbox = sandboxOf(3);
  const zero = { ...sandbox.store.accounts.get(1), id: 0 };
  let listed: readonly object[] = [zero, { ...zero, id: -1 }];
  const client = new MainClient({
    ...sandbox,
    retry: false,
    fetch: async (input, init) => {
      const response = await sandbox.fetch(input, init);
      if (!/\/accounts\?/.test(String(input))) return response;
      return Response.json([...((await response.json()) as object[]), ...listed]);
    },
  });
  const { copy, records } = copyOf(sandbox, client, { resources: ["accounts"] });
  expect((await copy.sync()).complete).toBe(true);
  sandbox.store.accounts.delete(3);
  // To prove the deletion, the mirror reads records that the list shows; some of these cannot be read.
  for (let run = 0; run < 5; run++) expect((await copy.sync()).lists[0]).toMatchObject({ complete: true, error: null });
  listed = [{ ...zero, id: -1 }];
  expect((await copy.sync()).lists[0]).toMatchObject({ complete: false, gone: 0, pending: 1, error: null });
  expect((await copy.sync()).lists[0]).toMatchObject({ complete: true, gone: 1, error: null });
  expect([...records("accounts").keys()]).toEqual([-1, 1, 2]);
  const updated = { event: "account.updated", event_data: { id: -1 } };
  expect(await copy.apply(updated)).toEqual({ outcome: "ignored", list: null });
});

test("a record that exists but is missing from its list stays, and does not hold later runs", async () => {
  const sandbox = sandboxOf();
  const client = new MainClient({
    ...sandbox,
    retry: false,
    // The list leaves out account 7, just as the service's lists leave out archived records.
    fetch: async (input, init) => {
      const response = await sandbox.fetch(input, init);
      if (!/\/accounts\?/.test(String(input))) return response;
      const records = (await response.json()) as { id: number }[];
      return Response.json(records.filter(({ id }) => id !== 7));
    },
  });
  const { copy, records, database } = copyOf(sandbox, client, { resources: ["accounts"] });
  await copy.sync();
  await copy.apply({ event: "account.updated", event_data: { id: 7 } });
  expect((await copy.sync()).lists[0]).toMatchObject({ complete: false, held: { reason: "half" } });
  sandbox.store.accounts.delete(9);
  expect((await copy.sync()).lists[0]).toMatchObject({ complete: true, gone: 1, held: null });
  expect(records("accounts").get(7)).toBeDefined();
  expect(database.prepare("SELECT id FROM accounts WHERE gone_at IS NOT NULL").all()).toEqual([{ id: 9 }]);
});
