import { describe, expect, it } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { until } from "../support/manual-clock.js";

function world(options: { size?: number | "small" } = {}) {
  const sandbox = createSandbox({ size: "small", rateLimit: false, ...options });
  const client = new MainClient(sandbox);
  const gets = () => sandbox.requests.filter(({ method }) => method === "GET").length;
  return { sandbox, client, gets };
}

/** The methods and paths of the requests after the first `from`, without the prefix. */
const pathsSince = ({ requests }: Sandbox, from: number) =>
  requests.slice(from).map(({ method, path }) => `${method} ${path.replace(/^.*\/v1\//, "").replace(/\?.*/, "")}`);

describe("lookup after writes of the client", () => {
  it("finds, for every caller, a record whose create ended while the list was being read", async () => {
    const { sandbox } = world();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await sandbox.fetch(new Request(input, init));
      // Delays the list, which was read before the create.
      if (sandbox.requests.length === 1) await held;
      return response;
    };
    const client = new MainClient({ ...sandbox, fetch });
    const byName = client.categories.lookup("name");
    const early = byName.get("New");
    await until(() => sandbox.requests.length === 1);
    const { id } = await client.categories.create({ name: "New" });
    const later = Array.from({ length: 10 }, () => byName.get("New"));
    release();
    expect((await Promise.all(later)).map((category) => category?.id)).toEqual(Array(10).fill(id));
    expect([null, id]).toContain((await early)?.id ?? null);
    expect(sandbox.requests.length, "the list, the create, the list again").toBe(3);
  });

  it("reads the list once for all callers after a write", async () => {
    const { client, gets } = world();
    const byName = client.categories.lookup("name");
    await byName.get("A");
    await client.categories.create({ name: "A" });
    const before = gets();
    const found = await Promise.all(["A", "B", "A", "C"].map((name) => byName.get(name)));
    expect(found.map((category) => category?.name)).toEqual(["A", undefined, "A", undefined]);
    expect(gets() - before).toBe(1);
  });

  it("finds no record by a previous value, and no deleted record", async () => {
    const { client, gets } = world();
    const byName = client.materialGroups.lookup("name");
    const [renamed, deleted] = [
      await client.materialGroups.create({ name: "Renamed" }),
      await client.materialGroups.create({ name: "Deleted" }),
    ];
    expect((await byName.get("Renamed"))?.id).toBe(renamed.id);
    await client.materialGroups.update(renamed.id, { name: "Other" });
    await client.materialGroups.delete(deleted.id);
    expect(await byName.getMany(["Renamed", "Deleted"])).toEqual([null, null]);
    expect((await byName.get("Other"))?.id).toBe(renamed.id);
    const before = gets();
    await byName.get("Other");
    expect(gets()).toBe(before);
  });

  it("does not find an added record by a previous value", async () => {
    const { client, gets } = world();
    const byName = client.categories.lookup("name");
    const category = await client.categories.create({ name: "Before" });
    expect((await byName.get("Before"))?.id).toBe(category.id);
    await client.categories.update(category.id, { name: "After" });
    await byName.add({ ...category, name: "After" });
    const before = gets();
    expect((await byName.get("After"))?.id).toBe(category.id);
    expect(gets()).toBe(before);
    expect(await byName.get("Before")).toBeNull();
  });

  it("counts a record that was added twice as one write", async () => {
    const { client } = world();
    const byName = client.categories.lookup("name");
    await byName.get("x");
    // A value that is not in the list makes the index read it again, but only once for now.
    await byName.get("y");
    const [one] = [await client.categories.create({ name: "One" }), await client.categories.create({ name: "Two" })];
    await byName.add(one);
    await byName.add(one);
    expect((await byName.get("Two"))?.name).toBe("Two");
  });

  it("does not read the list again for the other records after an update of one and a create", async () => {
    const { client, gets } = world();
    const byName = client.categories.lookup("name");
    const [first, second] = await client.categories.list().toArray({ max: 2 });
    await byName.get(first?.name ?? "");
    await client.categories.update(first?.id ?? 0, { name: "Other" });
    await client.categories.create({ name: "Created" });
    const before = gets();
    expect((await byName.get(second?.name ?? ""))?.id).toBe(second?.id);
    expect(gets()).toBe(before);
  });

  it("reads nothing again for a write that the service refused", async () => {
    const { client, gets, sandbox } = world();
    const byName = client.categories.lookup("name");
    await byName.get("x");
    await byName.get("y");
    sandbox.faults.next({ operation: "categories.create", status: 422 });
    await expect(client.categories.create({ name: "x" })).rejects.toMatchObject({ status: 422 });
    const before = gets();
    expect(await byName.get("x")).toBeNull();
    expect(gets()).toBe(before);
  });

  it("reads the list again after a write that may have been processed", async () => {
    const { client, sandbox } = world();
    const byName = client.categories.lookup("name");
    expect(await byName.getMany(["x", "y"])).toEqual([null, null]);
    await byName.get("z");
    sandbox.faults.next({ operation: "categories.create", applied: true, status: 502 });
    await expect(client.categories.create({ name: "x" })).rejects.toMatchObject({ status: 502 });
    expect((await byName.get("x"))?.name).toBe("x");
  });
});

describe("after a raw request that writes", () => {
  it("a lookup reads its list again", async () => {
    const { client, sandbox } = world();
    const byCode = client.courses.lookup("code");
    const { id, code } = sandbox.store.courses.at(0) as { id: number; code: string };
    await byCode.get(code);
    await client.request({ method: "PUT", path: `api/v1/courses/${id}`, body: { name: "Renamed by hand" } });
    expect(await byCode.get(code)).toMatchObject({ id, name: "Renamed by hand" });
  });

  it("a join reads its records again", async () => {
    const { client } = world();
    const student = async () => (await client.enrollments.list().with({ student: true }).first()).records[0]?.student;
    const { id = 0 } = (await student()) ?? {};
    await client.request({ method: "PUT", path: `api/v1/users/${id}`, body: { first_name: "Renamed" } });
    expect(await student()).toMatchObject({ id, first_name: "Renamed" });
  });

  it("nothing is read again if the service refused it", async () => {
    const { client, gets } = world();
    const byName = client.categories.lookup("name");
    await byName.getMany(["x"]);
    await byName.getMany(["x", "y"]);
    const before = gets();
    await expect(client.request({ method: "DELETE", path: "api/v1/courses/999999" })).rejects.toMatchObject({
      status: 404,
    });
    await byName.getMany(["x", "y"]);
    expect(gets()).toBe(before);
  });
});

describe("with, after writes of the client", () => {
  it("shows the written records, and reads only those again", async () => {
    const { client, sandbox } = world();
    const page = () => client.invoices.list().with({ account: true }).first();
    const account = (await page()).records[0]?.account;
    if (!account) throw new Error("no invoice has an account");
    await client.accounts.update(account.id, { name: "Renamed Ltd" });
    const before = sandbox.requests.length;
    const { records } = await page();
    const renamed = records.filter(({ account_id }) => account_id === account.id);
    expect(new Set(renamed.map((invoice) => invoice.account?.name))).toEqual(new Set(["Renamed Ltd"]));
    expect(pathsSince(sandbox, before)).toEqual(["GET invoices", `GET accounts/${account.id}`]);
  });

  it("finds a record that did not exist at the last reading", async () => {
    const { sandbox } = world();
    const next = sandbox.store.accounts.count + 1;
    const invoice = { ...sandbox.store.invoices.get(1), account_id: next };
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      return new URL(request.url).pathname.endsWith("/invoices") ? Response.json([invoice]) : sandbox.fetch(request);
    };
    const client = new MainClient({ ...sandbox, fetch });
    const readJoined = async () => (await client.invoices.list().with({ account: true }).first()).records[0]?.account;
    expect(await readJoined()).toBeNull();
    expect((await client.accounts.create({ name: "New Ltd" })).id).toBe(next);
    expect((await readJoined())?.name).toBe("New Ltd");
  });
});
