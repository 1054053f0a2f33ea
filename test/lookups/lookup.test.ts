import { describe, expect, it } from "vitest";
import { InputError, MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { failure } from "../support/manual-clock.js";

function world(size: number | "small" = "small") {
  const sandbox = createSandbox({ size, rateLimit: false });
  const client = new MainClient(sandbox);
  const requestLines = () => sandbox.requests.map(({ method, path }) => `${method} ${path}`);
  return { sandbox, client, asked: requestLines };
}

describe("lookup", () => {
  it("reads the list once for any number of values, even at the same time", async () => {
    const { sandbox, client, asked } = world();
    const byCode = client.courses.lookup("code");
    expect(asked()).toEqual([]);
    const courses = await client.courses.list().toArray();
    const before = asked().length;
    const codes = courses.map(({ code }) => code).filter((code) => code !== null);
    expect(codes.length).toBeGreaterThan(3);
    const found = await Promise.all(codes.map((code) => byCode.get(code)));
    expect(found.map((course) => course?.code)).toEqual(codes);
    expect(await byCode.getMany(codes)).toEqual(found);
    expect(asked().length - before).toBe(Math.ceil(sandbox.store.courses.count / 100));
  });

  it.each([[new Set(["FA-1"])], ["FA-1"], [undefined], [null]])(
    "refuses %s in place of several values",
    async (values) => {
      const { client, asked } = world();
      const error = await failure(client.courses.lookup("code").getMany(values as never));
      expect(error).toBeInstanceOf(InputError);
      expect(error.message).toContain("values must be an array");
      expect(asked()).toEqual([]);
    },
  );

  it("reads once more for a value that appears later, and not again for one that never does", async () => {
    const { sandbox, client, asked } = world();
    const byName = client.categories.lookup("name", { maxAge: 60_000 });
    expect(await byName.get("Robotics")).toBeNull();
    expect(asked()).toHaveLength(1);
    sandbox.store.categories.insert({ ...sandbox.make.category({ name: "Robotics" }) });
    expect((await byName.get("Robotics"))?.name).toBe("Robotics");
    expect(asked()).toHaveLength(2);
    expect(await Promise.all([byName.get("Astronomy"), byName.get("Botany")])).toEqual([null, null]);
    expect(asked(), "one more reading per maxAge").toHaveLength(2);
    await sandbox.clock.advance(60_001);
    expect((await byName.get("Robotics"))?.name).toBe("Robotics");
    expect(asked(), "older than maxAge").toHaveLength(3);
    await byName.refresh();
    await byName.get("Robotics");
    expect(asked(), "refresh").toHaveLength(4);
  });

  it("keeps what it read for five minutes by default", async () => {
    const { sandbox, client, asked } = world();
    const byName = client.categories.lookup("name");
    await byName.refresh();
    await sandbox.clock.advance(299_999);
    await byName.get("Robotics");
    const before = asked().length;
    await sandbox.clock.advance(1);
    await byName.get("Robotics");
    expect(asked()).toHaveLength(before + 1);
  });

  it("finds records that the client itself has created since", async () => {
    const { client, asked } = world();
    const byName = client.categories.lookup("name");
    for (const name of ["Robotics", "Astronomy", "Robotics", "Astronomy"]) {
      if (!(await byName.get(name))) await client.categories.create({ name });
    }
    expect(asked().filter((line) => line.startsWith("POST"))).toHaveLength(2);
  });

  it("does not read the list again for a record that the caller added", async () => {
    const { client, asked } = world();
    const byName = client.categories.lookup("name");
    await byName.get("Robotics");
    for (const name of ["Robotics", "Astronomy", "Botany"]) {
      const category = await client.categories.create({ name });
      await byName.add(category);
      expect(await byName.get(name)).toEqual(category);
    }
    expect(asked().filter((line) => line.startsWith("GET"))).toHaveLength(1);
    expect(await byName.get("Zoology")).toBeNull();
    expect(asked().filter((line) => line.startsWith("GET"))).toHaveLength(2);
  });

  it("refuses a field that no record has, because every value would seem to be new", async () => {
    const { client } = world();
    const byName = client.categories.lookup("nmae" as "name");
    const error = await failure(byName.get("x"));
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toContain('no record has a field "nmae"; did you mean "name"?');
    expect(error).toMatchObject({ outcome: null });
  });

  it("passes on the list's error and reads again for the next call", async () => {
    const { sandbox, client } = world();
    const byName = client.categories.lookup("name");
    sandbox.faults.next({ operation: "categories.list", status: 422 });
    await expect(byName.get("x")).rejects.toMatchObject({ status: 422 });
    expect(await byName.get("x")).toBeNull();
  });

  it("stops waiting for a caller that aborts, and for no other caller", async () => {
    const { client } = world();
    const byName = client.categories.lookup("name");
    const controller = new AbortController();
    const [aborted, other] = [byName.get("x", { signal: controller.signal }), byName.get("x")];
    controller.abort(new Error("no longer needed"));
    expect(await failure(aborted)).toBe(controller.signal.reason);
    expect(await other).toBeNull();
  });

  it("uses the caller's filters, and refuses a list longer than allowed", async () => {
    const { client } = world();
    const businesses = client.accounts.lookup("name", { query: { account_type: "business" } });
    const person = (await client.accounts.list({ account_type: "personal" }).first()).records[0];
    expect(await businesses.get(person?.name ?? "")).toBeNull();
    const bounded = client.accounts.lookup("name", { maxRecords: 3 });
    await expect(bounded.get("x")).rejects.toThrow("more than 3 records");
  });

  it("refuses invalid options before anything is sent", async () => {
    const { client, asked } = world();
    for (const options of [{ maxage: 1 }, { maxAge: 0 }, { maxRecords: 0.5 }, [], null]) {
      const lookup = client.courses.lookup("code", options as never);
      await expect(lookup.get("x"), JSON.stringify(options)).rejects.toBeInstanceOf(InputError);
    }
    expect(asked()).toEqual([]);
  });
});

describe("getMany", () => {
  it("keeps the order of the identifiers, with repeats and missing records", async () => {
    const { client } = world();
    const accounts = await client.accounts.getMany([9, 7, 9, 123_456]);
    expect(accounts.map((account) => account?.id ?? null)).toEqual([9, 7, 9, null]);
    expect(accounts[0]).toEqual(await client.accounts.get(9));
  });

  it("reads few records of a long list one by one, after one page that shows its length", async () => {
    const { client, asked } = world(5_000);
    const ids = [4_000, 4_500, 4_800];
    const many = client.accounts.getMany(ids);
    expect(asked()).toEqual([]);
    expect(await many.plan()).toEqual({ strategy: "single", requests: 3 });
    expect(asked()).toHaveLength(1);
    expect((await many).map((account) => account?.id)).toEqual(ids);
    expect(asked()).toHaveLength(4);
    expect(await many.plan()).toEqual({ strategy: "single", requests: 0 });
  });

  it("reads many records with the list", async () => {
    const { client, asked } = world(1_000);
    const ids = Array.from({ length: 500 }, (_, at) => at * 2 + 1);
    const many = client.accounts.getMany(ids);
    expect(await many.plan()).toEqual({ strategy: "list", requests: 9 });
    expect((await many).map((account) => account?.id)).toEqual(ids);
    expect(asked().length).toBeLessThanOrEqual(10);
  });

  it("uses the list's filter for identifiers if there is one", async () => {
    const { sandbox, client, asked } = world(5_000);
    const ids = Array.from({ length: 60 }, (_, at) => sandbox.store.courses.count - at);
    const many = client.courses.getMany(ids);
    expect(await many.plan()).toEqual({ strategy: "filter", requests: 1 });
    expect((await many).map((course) => course?.id)).toEqual(ids);
    expect(asked()).toHaveLength(1);
  });

  it("sends nothing without identifiers, and refuses invalid ones", async () => {
    const { client, asked } = world();
    expect(await client.accounts.getMany([])).toEqual([]);
    for (const ids of [["7"], [0], [1.5], 7, null]) {
      await expect(client.accounts.getMany(ids as never), JSON.stringify(ids)).rejects.toBeInstanceOf(InputError);
    }
    const misspelled = client.accounts.getMany([7], { prioritty: "batch" } as never);
    await expect(misspelled.plan()).rejects.toThrow('did you mean "priority"');
    expect(asked()).toEqual([]);
  });

  it("passes on errors that do not concern one record", async () => {
    const { sandbox, client } = world();
    sandbox.faults.next({ operation: "accounts.get", status: 403 });
    await expect(client.accounts.getMany([7])).rejects.toMatchObject({ status: 403 });
  });
});

describe("getMany", () => {
  it("has the members of a promise, and reads once, however often it is awaited", async () => {
    const { client, asked } = world();
    let ended = 0;
    const many = client.accounts.getMany([1, 2]);
    expect(asked()).toEqual([]);
    const records = await many.finally(() => ended++);
    expect(await many.catch(() => null)).toEqual(records);
    expect(records.map((account) => account?.id)).toEqual([1, 2]);
    const before = asked().length;
    await many;
    expect([ended, asked().length]).toEqual([1, before]);
    const reason = await client.accounts.getMany([0]).catch((error: unknown) => error);
    expect(reason).toBeInstanceOf(InputError);
  });
});

it("refuses a value that no record can have, instead of finding nothing", async () => {
  const sandbox = createSandbox({ size: "small" });
  const users = new MainClient(sandbox).users.lookup("email");
  for (const value of [undefined, Number.NaN, {}, []]) {
    await expect(users.get(value as never)).rejects.toThrow("email must be looked up by a text");
    await expect(users.getMany(["a@example.com", value as never])).rejects.toThrow("email must be looked up by a text");
  }
  expect(sandbox.requests).toEqual([]);
});
