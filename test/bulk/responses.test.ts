import { expect, test } from "vitest";
import { apply, plan, rowsOf, run } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { testFolder } from "./support/folder.js";
import { connection, copies, each, people, school } from "./support/school.js";

/** A school that changes the bodies of its responses to writes, and a client of that school. */
function answering(change: (body: Record<string, unknown>) => Response) {
  const { sandbox } = school();
  const fetch: typeof sandbox.fetch = async (url, init) => {
    const response = await sandbox.fetch(url, init);
    const isWrite = init?.method === "POST" || init?.method === "PUT";
    return isWrite ? change((await response.json()) as Record<string, unknown>) : response;
  };
  return { sandbox, client: new MainClient({ ...connection(sandbox), fetch, retry: { limit: 2 } }) };
}

test("a write with an empty response has been carried out; the list gives the identifier of a created record", async () => {
  const at = testFolder();
  const { sandbox, client } = answering(() => new Response(null, { status: 204 }));
  const rows = [...people(2), { email: sandbox.store.users.get(2)?.email, first_name: "Changed", last_name: "Name" }];
  await plan(client.users, rows as never, { to: at("a.plan"), key: "email" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 2, updated: 1, differing: 0, complete: true });
  expect(copies(sandbox)).toEqual(each(2));
  const known = new Set([...sandbox.store.users].map(({ id }) => id));
  for await (const { id } of rowsOf(at("a.plan"))) expect(known).toContain(id);
});

test("fields that a response leaves out or shows otherwise do not count as stored once the record has been read", async () => {
  const at = testFolder();
  const { client } = answering(({ middle_name: _, first_name: __, ...body }) =>
    Response.json({ ...body, first_name: null }),
  );
  await plan(client.users, [{ id: 2, middle_name: "of", first_name: "Changed" }], { to: at("a.plan"), key: "id" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ updated: 1, differing: 0, complete: true });
  for await (const { differs } of rowsOf(at("a.plan"))) expect(differs).toEqual({});
});

test("blanks around a choice are removed, those around a text are kept", async () => {
  const at = testFolder();
  const { client } = school();
  const row = { title: " A ", email: "a@example.com", status: " prospect " };
  await plan(client.leads, [row] as never, { to: at("a.plan"), key: "email" });
  for await (const { send } of rowsOf(at("a.plan"))) expect(send).toMatchObject({ title: " A ", status: "prospect" });
});

test("part of an object that the service does not show is not sent, because it may replace the rest", async () => {
  const manners = { custom: "replaced", optionalFields: "absent" } as const;
  const sandbox = createSandbox({ size: "small", skipWaits: true, manners });
  const { users } = sandbox.store;
  const custom = { diet: "none", size: "XL" };
  for (const id of [1, 2]) users.update(id, { custom });
  const rows = [1, 2].map((id) => ({ id, "custom.diet": "vegan" }));
  const client = new MainClient(connection(sandbox));
  const report = await run(client.users, rows, { to: testFolder()("a.plan"), key: "id" });
  expect(report).toMatchObject({ updated: 0, failed: 2 });
  for await (const { why } of rowsOf(report.plan)) expect(why).toMatchObject([{ field: "custom" }]);
  for (const id of [1, 2]) expect(users.get(id)?.custom).toEqual(custom);
});
