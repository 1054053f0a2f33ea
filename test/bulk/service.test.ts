import { expect, test } from "vitest";
import { readingOf, Service } from "../../src/bulk/service.js";
import { targetOf } from "../../src/bulk/target.js";
import { AdminClient, MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { failure } from "../support/manual-clock.js";
import { connection } from "./support/school.js";

function world() {
  const sandbox = createSandbox({ size: 250, skipWaits: true });
  const client = new MainClient({ ...connection(sandbox), retry: { limit: 2 } });
  const service = (name: "users" | "courses" | "catalogProducts", signal?: AbortSignal) =>
    new Service(targetOf(client[name], {}, undefined, "plan"), { pace: null, signal });
  return { sandbox, client, service };
}

test("records are read by the list's filter, one by one, or with the whole list", () => {
  const { client } = world();
  const way = (name: "courses" | "users" | "meetings" | "affiliations") =>
    readingOf(targetOf(client[name], {}, undefined, "plan")).by;
  expect(way("courses")).toBe("filter");
  expect(way("users")).toBe("one");
  expect(way("meetings")).toBe("one");
  expect(way("affiliations")).toBe("list");
  // The list of departments can be filtered by only one identifier at a time.
  const { departments } = new AdminClient({ baseUrl: "https://school.example", apiKey: "key" });
  expect(readingOf(targetOf(departments, {}, undefined, "plan")).by).toBe("list");
});

test("each attempt counts as a request, including those of failed calls", async () => {
  const { sandbox, service } = world();
  const users = service("users");
  sandbox.faults.next({ status: 503 });
  expect(await users.one(2)).toMatchObject({ id: 2 });
  expect(users.requests).toBe(2);
  sandbox.faults.next({ status: 403 });
  expect(await failure(users.one(2))).toMatchObject({ status: 403 });
  expect(users.requests).toBe(3);
  const pages = service("users");
  for await (const page of pages.pages(pages.target.rows.list as never, {}, {})) void page;
  expect(pages.requests).toBe(3);
  expect(pages.requests).toBe(sandbox.requests.length - users.requests);
});

test("a missing record is null, and costs a request", async () => {
  const { sandbox, service } = world();
  const users = service("users");
  expect(await users.one(999_999)).toBeNull();
  expect(users.requests).toBe(1);
  expect(sandbox.requests).toHaveLength(1);
});

test("several records are read with one request if the list can be filtered by identifiers, otherwise not at all", async () => {
  const { sandbox, service } = world();
  expect(await service("users").several([1, 2])).toBeNull();
  expect(sandbox.requests).toHaveLength(0);
  const courses = await service("courses").several([3, 1, 999_999]);
  expect([...(courses ?? [])].map(([id, record]) => [id, record.id])).toEqual([
    [1, 1],
    [3, 3],
  ]);
  expect(sandbox.requests).toHaveLength(1);
});

test("all requests have batch priority and, if there is one, the signal", async () => {
  const { service } = world();
  const { target } = service("users");
  const seen: unknown[] = [];
  const call = (_row: unknown, _input: unknown, options: object) => {
    seen.push(options);
    return { withResponse: async () => ({ data: { id: 1 }, response: { attempts: 1 } }) };
  };
  const { settings } = target.transport;
  const stubbed = { ...target, transport: { call, settings } } as unknown as typeof target;
  const { signal } = new AbortController();
  expect(await new Service(stubbed, { pace: null }).one(1)).toEqual({ id: 1 });
  await new Service(stubbed, { pace: null, signal }).call(target.rows.create as never, {}, {}, 5_000);
  expect(seen).toEqual([
    // No cache between the client and the service may respond.
    { priority: "batch", headers: { "cache-control": "no-cache" }, totalTimeout: undefined },
    { priority: "batch", signal, totalTimeout: 5_000 },
  ]);
});

test("the claim on the journal is renewed before every request, so that it lasts for a long list", async () => {
  const { service } = world();
  const { target } = service("courses");
  let renewed = 0;
  const renew = async () => {
    if (++renewed === 2) throw new Error("lost");
  };
  const courses = new Service(target, { pace: null, journal: { renew } });
  expect(await courses.one(1)).toMatchObject({ id: 1 });
  await expect(courses.several([1, 2])).rejects.toThrow("lost");
  expect(courses.requests).toBe(1);
});

test("an aborted signal ends the work before anything is sent", async () => {
  const { sandbox, service } = world();
  const stop = new AbortController();
  const users = service("users", stop.signal);
  await users.turn();
  stop.abort(new Error("enough"));
  await expect(users.turn()).rejects.toThrow("enough");
  await expect(users.one(1)).rejects.toThrow("enough");
  expect(sandbox.requests).toHaveLength(0);
});

test("every request reserves its own slot, even if others request one at the same time", async () => {
  const { target } = world().service("users");
  for (let later = 0; later < 10; later++) {
    let granted = 0;
    const pace = { room: async () => void granted++, spend() {}, leave() {}, countRetries() {} };
    const users = new Service(target, { pace });
    const first = users.turn();
    for (let tick = 0; tick < later; tick++) await null;
    await Promise.all([first, users.turn()]);
    for (let turn = 3; turn <= 5; turn++) await users.turn();
    expect(granted, `${later} ticks later`).toBe(5);
  }
});
