import { expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { copyOf, recordsOf } from "./support/copies.js";

function start() {
  const sandbox = createSandbox({ size: 60, skipWaits: true });
  // Work to do after the service has responded but before the response arrives.
  const late: { of: RegExp; work: () => Promise<unknown> }[] = [];
  const client = new MainClient({
    ...sandbox,
    pageSize: 20,
    fetch: async (input, init) => {
      const response = await sandbox.fetch(input, init);
      const at = late.findIndex(({ of }) => of.test(String(input)));
      if (at >= 0) await late.splice(at, 1)[0]?.work();
      return response;
    },
  });
  const resources = ["accounts", "discountCodes", "materials", "authentications"] as const;
  return { sandbox, late, client, ...copyOf(sandbox, client, { resources }) };
}

const updateOf = (id: number | string) => ({ event: "account.updated", event_data: { id } });

test("an event updates its record, and the same event again changes nothing", async () => {
  const { sandbox, copy, records } = start();
  sandbox.store.accounts.update(7, { name: "Example Ltd" });
  expect(await copy.apply(updateOf(7))).toEqual({ outcome: "written", list: "accounts" });
  expect(await copy.apply(updateOf("7"))).toEqual({ outcome: "unchanged", list: "accounts" });
  expect(records("accounts")).toEqual(new Map([[7, sandbox.store.accounts.get(7)]]));
});

test.each([null, {}, { event: 7, event_data: {} }, { event: "account.updated" }, { event: "x", event_data: null }])(
  "%j is not an event and is refused",
  async (event) => {
    const { copy, sandbox } = start();
    await expect(copy.apply(event as never)).rejects.toMatchObject({ code: "input", issues: [{ path: "event" }] });
    expect(sandbox.requests).toHaveLength(0);
  },
);

test("a deletion is accepted if the service has no such record", async () => {
  const { sandbox, copy, records } = start();
  await copy.sync({ resources: ["accounts"] });
  const deletionOf = (id: number) => ({ event: "account.deleted", event_data: { id } });
  expect(await copy.apply(deletionOf(8))).toMatchObject({ outcome: "unchanged" });
  sandbox.store.accounts.delete(7);
  expect(await copy.apply(updateOf(7))).toMatchObject({ outcome: "missing" });
  expect(records("accounts").get(7)).toBeDefined();
  expect(await copy.apply(deletionOf(7))).toMatchObject({ outcome: "gone" });
  expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
});

test("a deletion is not accepted if only a key without rights gets the 404", async () => {
  const { sandbox, copy, records } = start();
  await copy.sync({ resources: ["accounts"] });
  sandbox.faults.next({ operation: "accounts.get", status: 404, times: Number.POSITIVE_INFINITY });
  const deleted = { event: "account.deleted", event_data: { id: 7 } };
  expect(await copy.apply(deleted)).toMatchObject({ outcome: "missing" });
  expect(records("accounts").get(7)).toBeDefined();
});

test("a deletion is not accepted if the second read finds the record", async () => {
  const { sandbox, copy, records } = start();
  await copy.sync({ resources: ["accounts"] });
  sandbox.faults.next({ operation: "accounts.get", status: 404 });
  const deleted = { event: "account.deleted", event_data: { id: 7 } };
  expect(await copy.apply(deleted)).toMatchObject({ outcome: "missing" });
  expect(records("accounts").get(7)).toBeDefined();
});

test("a deletion does not overwrite a record that another writer has stored meanwhile", async () => {
  const { sandbox, copy, late, records } = start();
  await copy.sync({ resources: ["accounts"] });
  const account = sandbox.store.accounts.get(7);
  sandbox.store.accounts.delete(7);
  // After the service has sent the second 404, the account is created again and read for another event, before the
  // deletion marks its row.
  late.push({ of: /accounts\/7$/, work: async () => undefined });
  late.push({
    of: /accounts\/7$/,
    work: async () => {
      sandbox.store.accounts.insert({ ...account, name: "Made again" });
      await copy.apply(updateOf(7));
    },
  });
  await copy.apply({ event: "account.deleted", event_data: { id: 7 } });
  expect(records("accounts").get(7)).toMatchObject({ name: "Made again" });
});

test("events of lists that are not copied, and without an identifier, are ignored", async () => {
  const { sandbox, copy } = start();
  for (const event of ["course.updated", "unheard_of.updated", "toString.updated", "account"]) {
    expect(await copy.apply({ event, event_data: {} })).toEqual({ outcome: "ignored", list: null });
  }
  expect(sandbox.requests).toHaveLength(0);
});

test("an error of the client rejects, so that the event can be delivered again", async () => {
  const { sandbox, copy } = start();
  sandbox.faults.next({ operation: "accounts.get", status: 403, times: 5 });
  await expect(copy.apply(updateOf(7))).rejects.toThrow("accounts.get");
});

test("a page that was read before a webhook's record but stored after it does not restore the old version", async () => {
  const { sandbox, copy, late, records } = start();
  for (const moves of [true, false]) {
    late.push({
      of: /\/accounts\?/,
      work: async () => {
        const name = `newer ${moves}`;
        sandbox.store.accounts.update(7, moves ? { name, updated_at: "2035-01-01T00:00:00.000Z" } : { name });
        expect(await copy.apply(updateOf(7))).toMatchObject({ outcome: "written" });
      },
    });
    await copy.sync({ resources: ["accounts"] });
    expect(records("accounts").get(7)).toMatchObject({ name: `newer ${moves}` });
  }
});

test("a record that was read before its deletion but stored after it stays marked as gone", async () => {
  const { sandbox, copy, late, records } = start();
  await copy.sync({ resources: ["accounts"] });
  late.push({
    of: /\/accounts\?/,
    work: async () => {
      sandbox.store.accounts.delete(7);
      await copy.apply({ event: "account.deleted", event_data: { id: 7 } });
    },
  });
  expect((await copy.sync({ resources: ["accounts"] })).complete).toBe(true);
  expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
});

test("a record changed while an event's read was in flight is read again", async () => {
  const { sandbox, copy, late, records } = start();
  await copy.apply(updateOf(7));
  late.push({
    of: /\/accounts\/7/,
    work: async () => {
      sandbox.store.accounts.update(7, { name: "newest" });
      await copy.apply(updateOf(7));
    },
  });
  sandbox.store.accounts.update(7, { name: "newer" });
  await copy.apply(updateOf(7));
  expect(records("accounts").get(7)).toMatchObject({ name: "newest" });
});

test("lists below a parent are read for each parent, and the records below a deleted parent are marked as gone", async () => {
  const { sandbox, copy, database, client } = start();
  const early = await copy.sync({ resources: ["authentications"] });
  expect(early.lists[0]?.error?.message).toContain("users has never been swept completely");
  await copy.sync({ resources: ["users"] });
  const { lists } = await copy.sync({ resources: ["authentications"] });
  expect(lists).toMatchObject([{ complete: true }]);
  expect(lists[0]?.requests).toBe(sandbox.store.users.count);
  const authenticationIds = () =>
    database
      .prepare("SELECT id FROM current_authentications ORDER BY id")
      .all()
      .map(({ id }) => id);
  expect(authenticationIds()).toEqual([...sandbox.store.authentications].map(({ id }) => id).sort((a, b) => a - b));
  const [first] = await client.authentications.listForUser(1).toArray();
  expect(first).toBeDefined();
  sandbox.store.users.delete(1);
  for (const { id } of sandbox.store.authentications.filter(({ user_id }) => user_id === 1))
    sandbox.store.authentications.delete(id);
  await copy.sync({ resources: ["users", "authentications"] });
  expect(authenticationIds()).toEqual([...sandbox.store.authentications].map(({ id }) => id).sort((a, b) => a - b));
});
