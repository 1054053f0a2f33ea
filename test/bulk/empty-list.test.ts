import { expect, test } from "vitest";
import { rowsOf, run } from "../../src/bulk/node.js";
import { MainClient, type Users } from "../../src/index.js";
import { testFolder } from "./support/folder.js";
import { connection, copies, each, people, school } from "./support/school.js";

/** A school, and a second client whose key may not read users or labels, so that both lists look empty to it. */
function blindSchool() {
  const { sandbox, client } = school();
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (init?.method !== "GET" || !/\/(users|labels)(\?|$)/.test(String(input))) return sandbox.fetch(input, init);
    return new Response("[]", { status: 200, headers: { "content-type": "application/json", total: "0" } });
  };
  const blind = new MainClient({ ...connection(sandbox), fetch });
  return { sandbox, client, blind };
}

async function reasons(path: string): Promise<(string | undefined)[]> {
  const found = [];
  for await (const { why } of rowsOf(path)) found.push(why[0]?.message);
  return found;
}

test("if a list is empty although a kept plan created records in it, no row is created", async () => {
  const at = testFolder();
  const { sandbox, client, blind } = blindSchool();
  const options = { to: at("a.plan"), key: "email" } as const;
  await run(client.users, people(2), options);
  await run(client.users, people(2), { ...options, update: false });
  for (let night = 0; night < 2; night++) {
    const report = await run(blind.users, people(3), options);
    expect(report).toMatchObject({ created: 0, refused: 3, complete: false });
    const why =
      /^the list of users is empty, although a run of \d{4}-\d\d-\d\d created records in it\. Use an API key that can read these records; if they have all been deleted, pass allow empty_list$/;
    expect(await reasons(report.plan)).toEqual(Array(3).fill(expect.stringMatching(why)));
  }
  expect(copies(sandbox)).toEqual(each(2));
  expect(await run(client.users, people(3), options)).toMatchObject({ created: 1, unchanged: 2 });
  // Allowed, the rows are still refused whose records can be read.
  const planned = { ...options, allow: ["empty_list"], confirm: () => false } as const;
  expect(await run(blind.users, people(4), planned)).toMatchObject({ open: 1, refused: 3 });
});

test("an empty list is believed if no run of the file created records in it", async () => {
  const at = testFolder();
  const { client, blind } = blindSchool();
  const options = { to: at("a.plan"), key: "email", confirm: () => false } as const;
  const planUsers = (users: Users, rows = people(2)) => run(users, rows, options);
  expect(await planUsers(blind.users)).toMatchObject({ open: 2, refused: 0 });
  await run(client.users, people(2), { ...options, confirm: undefined });
  expect(await planUsers(blind.users)).toMatchObject({ open: 0, refused: 2 });
  const other = { ...options, to: at("b.plan") };
  expect(await run(blind.users, people(2), other)).toMatchObject({ open: 2, refused: 0 });
});

test("lists with different path parameters are separate, even if the rows contain the parameters", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const empty = new MainClient({
    ...connection(sandbox),
    fetch: async (input, init) =>
      init?.method === "GET" && /partners|authentications|equipment/.test(String(input))
        ? new Response("[]", { status: 200, headers: { "content-type": "application/json" } })
        : sandbox.fetch(input, init),
  });
  const options = { to: at("a.plan"), confirm: () => false };
  const things = { ...options, key: "display_name", params: { object_slug: "equipment" } } as const;
  const rows = [{ display_name: "New" }];
  await run(client.customRecords, rows, { ...things, confirm: undefined });
  const partners = { ...things, params: { object_slug: "partners" } };
  expect(await run(empty.customRecords, rows, partners)).toMatchObject({ open: 1, refused: 0 });
  expect(await run(empty.customRecords, rows, things)).toMatchObject({ open: 0, refused: 1 });

  const [one, two] = [1, 2].map((user_id) => ({
    user_id,
    authentication_provider_type: "openid_connect",
    uid: `new-${user_id}`,
  }));
  const logins = { ...options, to: at("b.plan"), key: "uid" } as const;
  await run(client.authentications, [one as object], { ...logins, confirm: undefined });
  const report = await run(empty.authentications, [one, two] as object[], logins);
  expect(report).toMatchObject({ open: 1, refused: 1 });
});
