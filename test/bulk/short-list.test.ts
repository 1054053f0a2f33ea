import { expect, test } from "vitest";
import { plan, rowsOf, run } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { testFolder } from "./support/folder.js";
import { connection, school } from "./support/school.js";

/** A client whose list of users shows three records; its first readings say these totals. */
function shortened(totals: readonly (string | null)[]) {
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

test("no row is created where the list shows fewer records than the service counts; records that it shows are changed", async () => {
  const at = testFolder();
  const { sandbox, client } = shortened(ALWAYS);
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
    "the service counts 10 records, its list shows 3: the record may be among the others. Use a key that may read all of them";
  expect(found).toEqual([
    [1, [message]],
    [2, []],
  ]);
});

test("a list that shows too few once is read again; without a total, or with a smaller one, it counts as whole", async () => {
  const at = testFolder();
  const summary = async (...totals: readonly (string | null)[]) => {
    const { sandbox, client } = shortened(totals);
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
