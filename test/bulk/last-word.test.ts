import { expect, test } from "vitest";
import { apply, type BulkError, type BulkReport, plan, rowsOf, run, undo } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { connection } from "./support/school.js";

type Fetch = Sandbox["fetch"];

/** A school of users whose requests pass through `between`, and rows that give each user a new first name. */
function school(count: number, between: (request: Request, sandbox: Sandbox, pass: Fetch) => Promise<Response>) {
  const users = Array.from({ length: count }, (_, n) => ({
    email: `u${n}@example.com`,
    first_name: `Old ${n}`,
    last_name: "Fox",
    wants_newsletter: true,
  }));
  const sandbox = createSandbox({ empty: true, skipWaits: true, rateLimit: false, data: { users } });
  const fetch: Fetch = (...args) => between(new Request(...args), sandbox, sandbox.fetch);
  const names = () => [...sandbox.store.users].map(({ first_name }) => first_name);
  return {
    sandbox,
    client: new MainClient({ ...connection(sandbox), fetch, retry: { limit: 0 } }),
    rows: users.map(({ email }, n) => ({ email, first_name: `New ${n}` })),
    changed: () => names().filter((name) => name.startsWith("New")).length,
    at: testFolder(),
  };
}

test("updates whose responses show the earlier record are confirmed by reading the records, and can be undone", async () => {
  const { client, rows, changed, at } = school(12, async (request, _, pass) => {
    if (request.method !== "PUT") return pass(request);
    const before = await (await pass(new Request(request.url, { headers: request.headers }))).json();
    await pass(request);
    return Response.json(before);
  });
  await plan(client.users, rows, { to: at("a.plan"), key: "email" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 12, differing: 0, complete: true });
  expect(changed()).toBe(12);
  await undo(at("a.plan"), { to: at("b.plan") });
  expect(await apply(client, at("b.plan"))).toMatchObject({ updated: 12, complete: true });
  expect(changed()).toBe(0);
});

test.each([409, 422])("writes that are stored but get a %i are read, reported, and undone or named", async (code) => {
  let isOn = true;
  let writes = 0;
  const { client, rows, changed, at, sandbox } = school(6, async (request, _, pass) => {
    const response = await pass(request);
    const isRefused = isOn && request.method !== "GET" && ++writes % 2 === 0;
    return isRefused ? Response.json({ errors: { base: ["no"] }, code, message: "No" }, { status: code }) : response;
  });
  const creates = rows.map(({ email, first_name }) => ({ email: `new-${email}`, first_name, last_name: "Fox" }));
  await plan(client.users, [...rows, ...creates], { to: at("a.plan"), key: "email" });
  const report = await apply(client, at("a.plan"));
  expect(report).toMatchObject({ updated: 6, created: 3, failed: 3, complete: false });
  expect(changed()).toBe(12);
  const named = new Set<number>();
  for await (const { outcome, ids, why } of rowsOf(at("a.plan"))) {
    if (outcome !== "failed") continue;
    expect(why.map(({ message }) => message).join()).toContain(String(ids));
    named.add(ids[0] as number);
  }
  expect([...named].every((id) => sandbox.store.users.get(id)?.email.startsWith("new-"))).toBe(true);
  // A second run reads the refused creates again, and sends nothing.
  const sent = writes;
  expect(await apply(client, at("a.plan"))).toMatchObject({ failed: 3 });
  expect(writes).toBe(sent);
  isOn = false;
  await undo(at("a.plan"), { to: at("b.plan"), creates: "delete" });
  expect(await apply(client, at("b.plan"))).toMatchObject({ updated: 6, complete: false });
  for await (const { row, outcome, why } of rowsOf(at("b.plan"))) {
    if (row > rows.length && outcome === "refused") expect(why[0]?.message).toMatch(/deletes no users|look at/);
  }
});

test("a write that was refused and not stored has failed, and is read once", async () => {
  const { client, rows, changed, at } = school(5, async (request, _, pass) =>
    request.method === "PUT" && request.url.endsWith("/3")
      ? Response.json({ errors: {} }, { status: 422 })
      : pass(request),
  );
  await plan(client.users, rows, { to: at("a.plan"), key: "email" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 4, failed: 1, unconfirmed: 0 });
  expect(changed()).toBe(4);
  await undo(at("a.plan"), { to: at("b.plan") });
  expect(await apply(client, at("b.plan"))).toMatchObject({ updated: 4, complete: true });
});

test("updates whose responses are a 204 without a body are carried out in one run", async () => {
  const { client, rows, changed, at } = school(45, async (request, _, pass) => {
    const response = await pass(request);
    return request.method === "PUT" && response.ok ? new Response(null, { status: 204 }) : response;
  });
  await plan(client.users, rows, { to: at("a.plan"), key: "email" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 45, complete: true });
  expect(changed()).toBe(45);
});

test("creates whose responses are a 201 without a body are found, and carried out in one run", async () => {
  const { client, rows, at, sandbox } = school(2, async (request, _, pass) => {
    const response = await pass(request);
    return request.method === "POST" && response.ok ? new Response(null, { status: 201 }) : response;
  });
  const creates = Array.from({ length: 25 }, (_, n) => ({
    ...rows[0],
    email: `new-${n}@example.com`,
    last_name: "Fox",
  }));
  await plan(client.users, creates, { to: at("a.plan"), key: "email" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 25, complete: true });
  expect(sandbox.calls("users.create")).toHaveLength(25);
});

test("an automation that changes a field after each update stops the run, and its changes are undone", async () => {
  let isOn = true;
  let requests = 0;
  const due: { readonly at: number; readonly id: number }[] = [];
  const { client, rows, changed, at, sandbox } = school(40, async (request, { store }, pass) => {
    requests++;
    for (; isOn && due[0] && due[0].at <= requests; due.shift())
      store.users.update(due[0].id, { wants_newsletter: false, updated_at: new Date(requests * 1_000).toISOString() });
    if (request.method === "PUT") due.push({ at: requests + 3, id: Number(request.url.split("/").at(-1)) });
    return pass(request);
  });
  await plan(client.users, rows, { to: at("a.plan"), key: "email" });
  const { reason, message } = await failure<BulkError>(apply(client, at("a.plan")));
  expect({ reason, message }).toMatchObject({
    reason: "stopped",
    message: expect.stringContaining('sideEffects: ["wants_newsletter"]'),
  });
  expect(changed()).toBeLessThanOrEqual(16);
  isOn = false;
  await undo(at("a.plan"), { to: at("b.plan") });
  await apply(client, at("b.plan"));
  expect(changed()).toBe(0);
  const left = [...sandbox.store.users].filter(({ wants_newsletter }) => !wants_newsletter).map(({ id }) => id);
  const told: number[] = [];
  for await (const { id, side } of rowsOf(at("a.plan"))) if ("wants_newsletter" in side) told.push(Number(id));
  expect(told.length).toBeGreaterThanOrEqual(3);
  expect(left.filter((id) => told.includes(id))).toEqual([]);
});

test("a colleague who changes another field of two records does not stop the run", async () => {
  const { client, rows, at } = school(20, async (request, { store }, pass) => {
    const response = await pass(request);
    const id = Number(request.url.split("/").at(-1));
    if (request.method === "PUT" && (id === 2 || id === 3))
      store.users.update(id, { wants_newsletter: false, updated_at: "2040-01-01T00:00:00Z" });
    return response;
  });
  await plan(client.users, rows, { to: at("a.plan"), key: "email" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 20, sideEffects: 0, complete: true });
});

test.each([403, 404, 410, 423, 500])(
  "a record whose GET gets a %i ends only its row; the other rows and later nights continue",
  async (status) => {
    const { client, rows, changed, at } = school(20, async (request, _, pass) =>
      new URL(request.url).pathname.endsWith("/users/5")
        ? Response.json({ errors: {}, code: status, message: "No" }, { status })
        : pass(request),
    );
    const night = () => run(client.users, rows, { to: at("a.plan"), key: "email" });
    const first = await night();
    expect(first).toMatchObject({ updated: 19, failed: 1, complete: false });
    expect(changed()).toBe(19);
    for await (const { row, outcome, why } of rowsOf(first.plan)) {
      if (row !== 5) expect(outcome).toBe("updated");
      else if (status !== 404)
        expect(why).toEqual([{ message: `record 5 cannot be read (status ${status}), although other records can` }]);
    }
    expect(await night()).toMatchObject({ unchanged: 19, failed: 1 });
    // By identifier, the row is refused during planning.
    const byId = rows.map((row, n) => ({ id: n + 1, first_name: `${row.first_name} again` })).slice(0, 6);
    if (status < 500)
      expect(await run(client.users, byId, { to: at("b.plan"), key: "id" })).toMatchObject({
        updated: 5,
        complete: false,
      });
  },
);

test("records that cannot be read stop the run, which names the last one; if none can be read, no row fails", async () => {
  let blocked: (id: number) => boolean = (id) => id > 4;
  const { client, rows, at } = school(20, async (request, _, pass) => {
    const id = Number(/\/users\/(\d+)$/.exec(new URL(request.url).pathname)?.[1]);
    return request.method === "GET" && blocked(id) ? Response.json({ errors: {} }, { status: 403 }) : pass(request);
  });
  await plan(client.users, rows, { to: at("a.plan"), key: "email" });
  const many = await failure<BulkError>(apply(client, at("a.plan")));
  expect(many).toMatchObject({
    reason: "stopped",
    message: expect.stringMatching(/after 10 identical .* record \d+ of row \d+ cannot be read/),
  });
  blocked = (id) => id > 0;
  const all = await failure<BulkError>(apply(client, at("a.plan")));
  expect(all).toMatchObject({
    reason: "stopped",
    message: expect.stringMatching(
      /neither record \d+ of row \d+ nor any other can be read; unfinished rows stay planned/,
    ),
  });
  blocked = () => false;
  expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 20, complete: true });
});

test("the run waits a few seconds for a service that shows writes two seconds late, and reports this", async () => {
  const sandbox = createSandbox({ size: "small", skipWaits: true, manners: { settles: "later" } });
  const client = new MainClient(connection(sandbox));
  const at = testFolder();
  const seconds = async (work: () => Promise<BulkReport>) => {
    const began = sandbox.clock.now();
    expect(await work()).toMatchObject({ complete: true });
    return (sandbox.clock.now() - began) / 1_000;
  };
  const rows = ["jo", "ada"].map((name) => ({ email: `${name}@example.com`, first_name: name, last_name: "Fox" }));
  const options = { to: at("a.plan"), key: "email" } as const;
  expect(await seconds(() => run(client.users, rows, options))).toBeLessThan(30);
  const others = rows.map((row) => ({ ...row, last_name: "Wolf" }));
  const waits = new Set<string | null>();
  const onProgress = ({ waitingFor }: { readonly waitingFor: string | null }) => void waits.add(waitingFor);
  expect(await seconds(() => run(client.users, others, { ...options, onProgress }))).toBeLessThan(30);
  expect(waits).toContain("proof");
});

test("another run of the same rows is noticed after the first create, however few follow", async () => {
  let rival = 0;
  const { client, rows, at, sandbox } = school(2, async (request, { store }, pass) => {
    const response = await pass(request);
    if (request.method === "POST" && rival++ === 0)
      store.users.insert({ email: "new-1@example.com", first_name: "Theirs", last_name: "Fox" } as never);
    return response;
  });
  const creates = [0, 1].map((n) => ({ ...rows[0], email: `new-${n}@example.com`, last_name: "Fox" }));
  await plan(client.users, creates, { to: at("a.plan"), key: "email" });
  expect(await failure<BulkError>(apply(client, at("a.plan")))).toMatchObject({
    reason: "stopped",
    message: expect.stringContaining("another run"),
  });
  expect(sandbox.calls("users.create")).toHaveLength(1);
});
