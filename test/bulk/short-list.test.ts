import { expect, test } from "vitest";
import { plan, rowsOf, run } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { testFolder } from "./support/folder.js";
import { connection, school } from "./support/school.js";

/** A client whose first reads of the list of users return only three records, with these totals. */
function schoolWithTotals(totals: readonly (string | null)[]) {
  const { sandbox } = school();
  let lists = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await sandbox.fetch(input, init);
    if (init?.method !== "GET" || !/\/users(\?|$)/.test(String(input))) return response;
    const records = (await response.json()) as unknown[];
    const isWhole = lists >= totals.length;
    const total = isWhole ? String(records.length) : totals[lists];
    lists++;
    const headers = { "content-type": "application/json", ...(typeof total === "string" && { total }) };
    return new Response(JSON.stringify(isWhole ? records : records.slice(0, 3)), { status: 200, headers });
  };
  return { sandbox, client: new MainClient({ ...connection(sandbox), fetch }) };
}

const ALWAYS = Array<string>(20).fill("10");

test("if the list shows fewer records than the service counts, no row is created, but listed records are changed", async () => {
  const at = testFolder();
  const { sandbox, client } = schoolWithTotals(ALWAYS);
  const users = [...sandbox.store.users];
  const [, shown, , hidden] = users;
  const rows = [
    { email: hidden?.email, first_name: "New", last_name: "Double" },
    { email: shown?.email, first_name: "Other" },
  ];
  const report = await run(client.users, rows as never, { to: at("a.plan"), key: "email" });
  expect(report).toMatchObject({ created: 0, refused: 1, updated: 1 });
  expect(sandbox.calls("users.create")).toEqual([]);
  const found = [];
  for await (const { row, why } of rowsOf(report.plan)) found.push([row, why.map(({ message }) => message)]);
  const message =
    "the service counts 10 records, but its list shows 3: the record may be among those not shown. Use an API key that can read all of them";
  expect(found).toEqual([
    [1, [message]],
    [2, []],
  ]);
});

test("a list that is too short once is read again; without a total, or with a smaller one, it counts as complete", async () => {
  const at = testFolder();
  const summary = async (...totals: readonly (string | null)[]) => {
    const { sandbox, client } = schoolWithTotals(totals);
    const { email, first_name, last_name } = [...sandbox.store.users][8] ?? {};
    const { create, leave, refuse, read } = await plan(client.users, [{ email, first_name, last_name }] as never, {
      to: at("a.plan"),
      key: "email",
    });
    return { create, leave, refuse, read };
  };
  expect(await summary("10")).toEqual({ create: 0, leave: 1, refuse: 0, read: 2 });
  expect(await summary(null)).toEqual({ create: 1, leave: 0, refuse: 0, read: 1 });
  expect(await summary("3")).toEqual({ create: 1, leave: 0, refuse: 0, read: 1 });
  expect(await summary("2")).toEqual({ create: 1, leave: 0, refuse: 0, read: 1 });
});

test("a list whose last page is empty and has no total is as long as its other pages said", async () => {
  const at = testFolder();
  const sandbox = createSandbox({ size: 300, skipWaits: true });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const isSecond = /\/users\?.*cursor/.test(String(input));
    return isSecond
      ? new Response("[]", { headers: { "content-type": "application/json" } })
      : sandbox.fetch(input, init);
  };
  const client = new MainClient({ ...connection(sandbox), fetch });
  const email = [...sandbox.store.users][250]?.email;
  const rows = Array.from({ length: 3 }, (_, at) => ({
    email: at === 0 ? email : `new-${at}@example.com`,
    first_name: "A",
    last_name: "B",
  }));
  expect(await plan(client.users, rows as never, { to: at("a.plan"), key: "email" })).toMatchObject({
    create: 0,
    refuse: 3,
  });
});

test("a filter that also matches parts of a key is read to its last page", async () => {
  const at = testFolder();
  const sandbox = createSandbox({ size: 700, skipWaits: true });
  const users = [...sandbox.store.users];
  const known = users.at(-1)?.email ?? "";
  for (const { id } of users.slice(400, 520)) sandbox.store.users.update(id, { email: `p${id}-${known}` });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(String(input));
    const part = url.searchParams.get("email")?.toLowerCase();
    if (init?.method !== "GET" || part === undefined) return sandbox.fetch(input, init);
    const all = [...sandbox.store.users].filter(({ email }) => email.toLowerCase().includes(part));
    const from = Number(url.searchParams.get("page") ?? 0);
    url.searchParams.set("page", String(from + 1));
    const link = all.length > 100 * (from + 1) ? { link: `<${url}>; rel="next"` } : undefined;
    return Response.json(all.slice(100 * from, 100 * (from + 1)), { headers: { total: String(all.length), ...link } });
  };
  const client = new MainClient({ ...connection(sandbox), fetch });
  const summary = await plan(client.users, [{ email: known, first_name: "Other" }], { to: at("a.plan"), key: "email" });
  expect(summary).toMatchObject({ create: 0, update: 1 });
});

test("a record that moves to another page while names are looked up counts once", async () => {
  const at = testFolder();
  const { sandbox } = school();
  const label = sandbox.store.labels.insert({ name: "Urgent", model_type: "User" });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await sandbox.fetch(input, init);
    if (init?.method !== "GET" || !/\/labels(\?|$)/.test(String(input))) return response;
    const records = (await response.json()) as object[];
    return Response.json([...records, label], { headers: response.headers });
  };
  const client = new MainClient({ ...connection(sandbox), fetch });
  const rows = [{ email: "new@example.com", first_name: "N", last_name: "P", label_ids: "Urgent" }];
  const summary = await plan(client.users, rows as never, {
    to: at("a.plan"),
    key: "email",
    find: { label_ids: "name" },
  });
  expect(summary).toMatchObject({ create: 1, refuse: 0 });
});
