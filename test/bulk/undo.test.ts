import { expect, test } from "vitest";
import { apply, type BulkError, type BulkRow, plan, rowsOf, undo } from "../../src/bulk/node.js";
import { AdminClient, MainClient } from "../../src/index.js";
import { Resource, Transport } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { connection, people, school } from "./support/school.js";

async function rowsIn(path: string): Promise<BulkRow[]> {
  const rows: BulkRow[] = [];
  for await (const row of rowsOf(path)) rows.push(row);
  return rows;
}

test("a field that was empty and cannot be emptied again is refused, and the other rows are undone", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const [empty, full] = [...sandbox.store.plannedCourses];
  sandbox.store.plannedCourses.update(empty?.id ?? 0, { start_date: null });
  const rows = [empty, full].map((course) => ({ id: course?.id, start_date: "2024-12-30" }));
  await plan(client.plannedCourses, rows as never, { to: at("a.plan"), key: "id" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 2 });
  expect(await undo(at("a.plan"), { to: at("back.plan") })).toMatchObject({ update: 1, refuse: 1 });
  expect((await rowsIn(at("back.plan")))[0]).toMatchObject({
    do: "refuse",
    why: [{ field: "start_date", message: "cannot be undone: the service does not accept an empty value" }],
  });
  expect(await apply(client, at("back.plan"))).toMatchObject({ updated: 1, refused: 1 });
  expect(sandbox.store.plannedCourses.get(full?.id ?? 0)?.start_date).toBe(full?.start_date);
});

test("a field that the service ignored does not make the row stale", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const admin = [...sandbox.store.users].find(({ roles }) => roles.includes("admin"));
  const row = { id: admin?.id, email: "other@example.com", middle_name: "of" };
  await plan(client.users, [row], { to: at("a.plan"), key: "id" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 1, differing: 1 });
  await undo(at("a.plan"), { to: at("back.plan") });
  expect(await apply(client, at("back.plan"))).toMatchObject({ updated: 1, complete: true });
  expect(sandbox.store.users.get(admin?.id ?? 0)).toMatchObject({
    email: admin?.email,
    middle_name: admin?.middle_name,
  });
});

test("records are deleted although the service stored three of their values differently", async () => {
  const at = testFolder();
  const { sandbox } = school();
  const fetch: typeof sandbox.fetch = (url, init) => {
    if (init?.method !== "POST") return sandbox.fetch(url, init);
    return sandbox.fetch(url, { ...init, body: String(init.body).replace("#336699", "#993366") });
  };
  const client = new MainClient({ ...connection(sandbox), fetch });
  const names = ["New", "Red", "Old"];
  for (const [file, count] of [
    ["one.plan", 1],
    ["three.plan", 3],
  ] as const) {
    const rows = names.splice(0, count).map((name) => ({ name, model_type: "Lead" as const, color: "#336699" }));
    names.push("Far");
    await plan(client.labels, rows, { to: at(file), key: "name" });
    expect(await apply(client, at(file))).toMatchObject({ created: count, differing: count });
    const back = await undo(at(file), { to: at(`back-${file}`), creates: "delete" });
    expect(back).toMatchObject(count === 1 ? { refuse: 1 } : { delete: 3 });
    expect(await apply(client, at(`back-${file}`))).toMatchObject({ deleted: count === 1 ? 0 : 3 });
  }
});

test("a created record whose field was changed is kept, even if nothing tells when it was updated", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const rows = ["A", "B"].map((name) => ({ name, model_type: "Lead" as const }));
  await plan(client.labels, rows, { to: at("a.plan"), key: "name" });
  await apply(client, at("a.plan"));
  await undo(at("a.plan"), { to: at("back.plan"), creates: "delete" });
  const [{ id } = { id: 0 }] = [...sandbox.store.labels].filter(({ name }) => name === "A");
  const { created_at } = sandbox.store.labels.get(id) as unknown as { readonly created_at: string };
  sandbox.store.labels.update(id, { name: "Renamed", updated_at: created_at } as never);
  expect(await apply(client, at("back.plan"))).toMatchObject({ deleted: 1, stale: 1 });
  expect((await rowsIn(at("back.plan")))[0]?.why).toEqual([
    { field: "name", message: "the record no longer has the name of the row" },
  ]);
});

test.each([
  ["that was revoked", { unknownKey: "404" }],
  ["that may only read", { missingScope: "404" }],
] as const)(
  "a 404 for a key %s deletes nothing and is not believed, and a valid key completes the undo",
  async (_, manners) => {
    const at = testFolder();
    const sandbox = createSandbox({ size: "small", skipWaits: true, manners });
    const key = sandbox.createKey({ scopes: ["*"] });
    const clientOf = (apiKey: string) => new MainClient({ ...sandbox, apiKey });
    const rows = [1, 2, 3].map((n) => ({ name: `Hall ${n}`, course_location_id: 1 }));
    await plan(clientOf(key).meetingLocations, rows, { to: at("a.plan"), key: "name" });
    await apply(clientOf(key), at("a.plan"));
    await undo(at("a.plan"), { to: at("back.plan"), creates: "delete" });
    const isRevoked = "unknownKey" in manners;
    if (isRevoked) sandbox.revokeKey(key);
    const lost = isRevoked ? key : sandbox.createKey({ scopes: ["*:read"] });
    const rooms = () => sandbox.store.meetingLocations.filter(({ name }) => name.startsWith("Hall ")).length;
    const ended = await apply(clientOf(lost), at("back.plan")).catch(({ reason }: BulkError) => ({ reason }));
    expect(ended).toMatchObject(isRevoked ? { reason: "stopped" } : { failed: 3, complete: false });
    expect(rooms()).toBe(3);
    const good = isRevoked ? sandbox.createKey({ scopes: ["*"] }) : key;
    expect(await apply(clientOf(good), at("back.plan"))).toMatchObject({ deleted: 3, complete: true });
    expect(rooms()).toBe(0);
  },
);

test("a field that changed with only one of several writes keeps a colleague's value; one that changed with all is restored", async () => {
  const at = testFolder();
  const { sandbox } = school();
  const fetch: typeof sandbox.fetch = (url, init) => {
    if (init?.method === "PUT" && String(url).endsWith("/2"))
      sandbox.store.courses.update(2, { name: "A colleague's" });
    return sandbox.fetch(url, init);
  };
  const client = new MainClient({ ...connection(sandbox), fetch });
  const before = sandbox.store.courses.get(2)?.code;
  await plan(
    client.courses,
    [1, 2, 3].map((id) => ({ id, code: `NEW-${id}` })),
    { to: at("a.plan"), key: "id" },
  );
  expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 3, sideEffects: 1 });
  await undo(at("a.plan"), { to: at("back.plan") });
  expect(await apply(client, at("back.plan"))).toMatchObject({ updated: 3 });
  expect(sandbox.store.courses.get(2)).toMatchObject({ code: before, name: "A colleague's" });
});

test("a colleague's change right after a write stays, even if nothing tells when it was made", async () => {
  const at = testFolder();
  const { sandbox } = school();
  const { programs } = sandbox.store;
  const [first = 0, second = 0] = [...programs].map(({ id }) => id);
  const fetch: typeof sandbox.fetch = async (url, init) => {
    const response = await sandbox.fetch(url, init);
    if (init?.method === "PUT" && String(url).endsWith(`/${second}`))
      programs.update(second, { name: "A colleague's" });
    return response;
  };
  const client = new MainClient({ ...connection(sandbox), fetch });
  const rows = [first, second].map((id) => ({ id, name: `Imported ${id}` }));
  await plan(client.programs, rows, { to: at("a.plan"), key: "id" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 2, unconfirmed: 1 });
  expect(programs.get(first)).not.toHaveProperty("updated_at");
  await undo(at("a.plan"), { to: at("back.plan") });
  expect(await apply(new MainClient(connection(sandbox)), at("back.plan"))).toMatchObject({ updated: 1, stale: 1 });
  expect(programs.get(second)?.name).toBe("A colleague's");
});

test("a colleague's record in the response to a create is not deleted, even if its key begins with the row's", async () => {
  const at = testFolder();
  const { sandbox } = school();
  const { labels } = sandbox.store;
  let theirs = 0;
  const fetch: typeof sandbox.fetch = async (url, init) => {
    if (init?.method !== "POST") return sandbox.fetch(url, init);
    theirs = labels.insert({ name: "Annual plan", model_type: "Lead" }).id;
    const { body: _, ...get } = init;
    const shown = await sandbox.fetch(String(url).replace(/labels.*/, `labels/${theirs}`), { ...get, method: "GET" });
    return Response.json(await shown.json(), { status: 201 });
  };
  const client = new MainClient({ ...connection(sandbox), fetch });
  const key = ["name", "model_type"] as const;
  await plan(client.labels, [{ name: "Ann", model_type: "Lead" }], { to: at("a.plan"), key });
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 0, unknown: 1 });
  await undo(at("a.plan"), { to: at("back.plan"), creates: "delete" });
  expect(await apply(client, at("back.plan"))).toMatchObject({ deleted: 0 });
  expect(labels.get(theirs)?.name).toBe("Annual plan");
});

test("an empty list shown to a key without rights does not count as a deletion", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const names = ["One", "Two"].map((name) => ({ name, model_type: "Lead" as const }));
  await plan(client.labels, names, { to: at("a.plan"), key: ["name", "model_type"] });
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 2 });
  await undo(at("a.plan"), { to: at("back.plan"), creates: "delete" });
  const blind: typeof sandbox.fetch = async (url, init) =>
    init?.method === "GET" && new URL(String(url)).pathname.endsWith("/labels")
      ? Response.json([])
      : Response.json({ code: 404, message: "Not found" }, { status: 404 });
  const revoked = new MainClient({ ...connection(sandbox), fetch: blind });
  expect(await apply(revoked, at("back.plan"))).toMatchObject({ complete: false, unchanged: 0, failed: 2 });
});

test("only changes that were made are undone", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const known = sandbox.store.users.get(2);
  const rows = [
    ...people(3),
    { email: known?.email, first_name: known?.first_name, last_name: known?.last_name },
    { email: "a@example.com" },
  ];
  await plan(client.users, rows as never, { to: at("a.plan"), key: "email" });
  sandbox.faults.next({ operation: "users.create", errors: { email: ["is taken"] } });
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 2, failed: 1, unchanged: 1, refused: 1 });
  const none = { create: 0, update: 0, refuse: 0, reasons: [], requests: 0, minutes: 0, read: 0 };
  const summary = await undo(at("a.plan"), { to: at("back.plan") });
  expect(summary).toEqual({ ...none, leave: 2, digest: summary.digest });
  expect((await rowsIn(at("back.plan"))).map(({ row }) => row)).toEqual([2, 3]);
});

test("an unknown option is refused", async () => {
  const at = testFolder();
  const { client } = school();
  await plan(client.users, people(1), { to: at("a.plan"), key: "email" });
  const { message } = await failure(undo(at("a.plan"), { to: at("b.plan"), create: "delete" } as never));
  expect(message).toContain('undo: create is unknown; did you mean "creates"?');
});

test("changes of the Admin API are undone through the Admin API", async () => {
  const at = testFolder();
  const sandbox = createSandbox({ size: "small", skipWaits: true });
  const client = new AdminClient(sandbox.admin);
  const before = sandbox.store.programs.get(1)?.name;
  await plan(client.programs, [{ id: 1, name: "Changed" }], { to: at("a.plan"), key: "id" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 1 });
  const { requests, minutes } = await undo(at("a.plan"), { to: at("back.plan") });
  expect({ requests, minutes }).toEqual({ requests: 3, minutes: 0 });
  expect(await apply(client, at("back.plan"))).toMatchObject({ updated: 1, requests, complete: true });
  expect(sandbox.store.programs.get(1)?.name).toBe(before);
});

test("a resource without writes is refused with both reasons, and so is anything that is not a resource", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const planError = async (resource: unknown, key: string) =>
    (await failure(plan(resource as typeof client.users, [], { to: at("a.plan"), key: key as never }))).message;
  expect(await planError(client.webhooks, "url")).toMatch(
    /^plan: webhooks can be neither created \(use ensureWebhook of education-admin-sdk\/webhooks\) nor changed \(use ensureWebhook of education-admin-sdk\/webhooks\)\. /,
  );
  expect(await planError(client.leads, "id")).toContain(
    "can be neither created (rows with identifiers create no records) nor changed (",
  );
  for (const none of [null, 7, {}, new Proxy(client.users, {})]) {
    expect(await planError(none, "id")).toContain("takes a resource of a client, such as client.users");
  }
  class Empty extends Resource {}
  const empty = new Empty(new Transport({ baseUrl: "https://school.example", apiKey: "key" }));
  expect(await planError(empty, "id")).toContain("takes a resource with operations");
  expect(sandbox.requests).toHaveLength(0);
});

test.each(["small", 2_000] as const)(
  "an undo announces exactly the number of requests that it sends, in a school of size %s",
  async (size) => {
    const at = testFolder();
    const { sandbox, client } = school(size);
    const rows = people(20).map(({ email }) => ({ title: email, email, status: "prospect" }));
    await plan(client.leads, rows, { to: at("a.plan"), key: "title" });
    await apply(client, at("a.plan"));
    const { requests } = await undo(at("a.plan"), { to: at("back.plan"), creates: "delete" });
    const sent = sandbox.requests.length;
    expect(await apply(client, at("back.plan"))).toMatchObject({ deleted: 20, requests, complete: true });
    expect(sandbox.requests.length - sent).toBe(requests);
  },
);
