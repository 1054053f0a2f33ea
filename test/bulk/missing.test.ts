import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { apply, type PlanOptions, plan, type RunOptions, readCsv, rowsOf, run, undo } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { testFolder } from "./support/folder.js";
import { connection, people, school } from "./support/school.js";

type Client = MainClient;

/** A school with `count` new people, and the options of a file that is to list all of them. */
async function office(count: number) {
  const at = testFolder();
  const { sandbox, client } = school();
  const rows = people(count);
  await run(client.users, rows, { to: at("first.plan"), key: "email" });
  const options = {
    to: at("a.plan"),
    key: "email",
    missing: { where: "email contains new-", do: "update", set: { middle_name: "gone" } },
  } satisfies RunOptions<Client["users"]>;
  const user = (number: number) => {
    const found = sandbox.store.users.find(({ email }) => email === `new-${number}@example.com`);
    if (!found) throw new Error(`no person ${number}`);
    return found;
  };
  return { at, sandbox, client, rows, options, user };
}

/** The records in no row: identifier, what was planned and its outcome, and the last reason. */
async function absentIn(path: string) {
  const all: unknown[] = [];
  for await (const { missing, id, do: what, outcome, why } of rowsOf(path))
    if (missing) all.push([id, what, outcome, why.at(-1)?.message]);
  return all;
}

test("a record that meets the condition and is in no row is updated, told apart, and restored by undo", async () => {
  const { at, client, rows, options, user } = await office(4);
  const summary = await plan(client.users, rows.slice(0, 3), options);
  expect(summary).toMatchObject({ leave: 3, update: 1, missing: { of: 4, update: 1, leave: 0, refuse: 0, delete: 0 } });
  expect(await apply(client, options.to)).toMatchObject({ unchanged: 3, updated: 1, complete: true });
  expect(user(4)).toMatchObject({ middle_name: "gone" });
  expect(await absentIn(options.to)).toEqual([[user(4).id, "update", "updated", '"new-4@example.com" is in no row']]);
  // A record that is as wanted leaves the plan.
  expect(await plan(client.users, rows.slice(0, 3), { ...options, to: at("b.plan") })).toMatchObject({
    update: 0,
    missing: { of: 4, update: 0 },
  });
  await undo(options.to, { to: at("back.plan") });
  expect(await apply(client, at("back.plan"))).toMatchObject({ updated: 1, complete: true });
  expect(user(4).middle_name ?? null).toBe(null);
});

test("an action runs on the records in no row only, beside rows that change fields, and undo leaves what it did", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const active = [...sandbox.store.enrollments].filter(({ status }) => status === "active");
  const [first, ...others] = active.map(({ id }) => id);
  const rows = others.slice(1).map((id) => ({ id, end_date: "2031-03-07" }));
  const gone = [first, others[0]];
  const options = { to: at("a.plan"), key: "id", missing: { where: "status=active", do: "cancel" } } as const;
  await expect(run(client.enrollments, rows, options)).rejects.toThrow(
    "irreversible must be true for a plan with actions",
  );
  const report = await run(client.enrollments, rows, { ...options, irreversible: true });
  expect(report).toMatchObject({ updated: rows.length + 2, complete: true });
  expect(
    sandbox
      .calls("enrollments.cancel")
      .map(({ params }) => Number(params.id))
      .sort(),
  ).toEqual(gone.sort());
  expect(await undo(report.plan, { to: at("back.plan") })).toMatchObject({ update: rows.length, refuse: 2 });
  expect((await absentIn(at("back.plan"))).length).toBe(0);
  const why: unknown[] = [];
  for await (const row of rowsOf(at("back.plan"))) why.push(...row.why.map(({ message }) => message));
  expect(why).toEqual(Array(2).fill("cannot be undone: enrollments.cancel cannot be reversed"));
});

test("between plan and apply, records in no row that others change, rename or delete stay as they are, and none is deleted on a 404", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const label = (name: string) => sandbox.store.labels.find((one) => one.name === name);
  for (const name of ["kept", "edited", "renamed", "removed", "hidden", "left", "gone"])
    await client.labels.create({ name, model_type: "Lead" });
  const names = [...sandbox.store.labels].filter(({ model_type }) => model_type === "Lead").map(({ name }) => name);
  const options = {
    to: at("a.plan"),
    key: ["name", "model_type"],
    missing: { where: "model_type=Lead", do: "delete" },
  } satisfies PlanOptions<Client["labels"]>;
  const rows = names.filter((name) => !["edited", "renamed", "removed", "hidden", "left", "gone"].includes(name));
  expect(
    await plan(
      client.labels,
      rows.map((name) => ({ name, model_type: "Lead" })),
      options,
    ),
  ).toMatchObject({
    delete: 6,
    missing: { delete: 6, of: names.length },
  });
  const ids = Object.fromEntries(
    ["edited", "renamed", "removed", "hidden", "left"].map((name) => [name, label(name)?.id ?? 0]),
  );
  await client.labels.update(ids.renamed ?? 0, { name: "back again" });
  sandbox.store.labels.update(ids.edited ?? 0, { updated_at: "2031-01-01T00:00:00.000Z" } as never);
  sandbox.store.labels.update(ids.left ?? 0, { model_type: "User" } as never);
  await client.labels.delete(ids.removed ?? 0);
  await client.labels.create({ name: "new meanwhile", model_type: "Lead" });
  // The service answers with 404 for a record that exists.
  const fetch: typeof sandbox.fetch = async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    if (new URL(url).pathname.endsWith(`/${ids.hidden}`))
      return Response.json({ message: "Not Found" }, { status: 404 });
    return sandbox.fetch(input, init);
  };
  const half = new MainClient({ ...connection(sandbox), fetch, retry: { limit: 0 } });
  const report = await apply(half, options.to, { irreversible: true });
  expect(report.complete).toBe(false);
  const found = Object.fromEntries(
    (await absentIn(options.to)).map((row) => [(row as unknown[])[0], (row as unknown[])[2]]),
  );
  expect(found).toEqual({
    [ids.edited ?? 0]: "stale",
    [ids.renamed ?? 0]: "stale",
    [ids.left ?? 0]: "stale",
    [ids.removed ?? 0]: "unchanged",
    [ids.hidden ?? 0]: "failed",
    [Object.keys(found).map(Number).at(-1) ?? 0]: "deleted",
  });
  expect([label("hidden"), label("edited"), label("back again"), label("new meanwhile")]).not.toContain(undefined);
  expect(label("gone")).toBe(undefined);
});

describe("records in no row are named, and none is touched,", () => {
  const held = async (count: number, rowsOfFile: (rows: ReturnType<typeof people>) => object[], more: object = {}) => {
    const { client, rows, options, sandbox, at } = await office(count);
    const report = await run(client.users, rowsOfFile(rows), { ...options, ...more });
    const touched = [...sandbox.store.users].filter(({ middle_name }) => middle_name === "gone").length;
    const [first] = (await absentIn(report.plan)) as [unknown, unknown, unknown, string][];
    return { touched, report, why: first?.[3], at };
  };

  test("if the file is empty, or is one of others", async () => {
    const none = "no row matches any record, so records that no row names stay as they are";
    expect(await held(5, () => [])).toMatchObject({ touched: 0, why: none, report: { refused: 5, complete: false } });
    expect(
      await held(5, () => people(5, 900).map((one) => ({ ...one, last_name: `Other ${one.email}` }))),
    ).toMatchObject({
      touched: 0,
      why: none,
      report: { created: 5, refused: 5 },
    });
  });

  test("if a row cannot be read, or its key was cut", async () => {
    for (const email of ["", "no address", "6.12E+08@example.com\u200b"])
      expect(await held(3, (rows) => [rows[0] ?? {}, { ...rows[1], last_name: "Else", email }])).toMatchObject({
        touched: 0,
        why: "row 2 has no key and may mean this record, so records that no row names stay as they are",
      });
  });

  test("if the file was torn in the middle of a row", async () => {
    const { at, client, rows, options, sandbox } = await office(9);
    const text = ["email,first_name,last_name", ...rows.map((row) => Object.values(row).join(","))].join("\n");
    for (const last of ["new-6@exam", "new-6@example.com,Ne", 'new-6@example.com,"Ne']) {
      writeFileSync(at("rows.csv"), text.slice(0, text.indexOf("new-6")) + last);
      const report = await run(client.users, readCsv(at("rows.csv")), options);
      expect(report).toMatchObject({ unchanged: 5, refused: 1 + 4, updated: 0 });
    }
    expect([...sandbox.store.users].filter(({ middle_name }) => middle_name === "gone")).toEqual([]);
  });

  test("if more than 20 and more than a tenth would go, unless that is accepted", async () => {
    const most = (rows: object[]) => rows.slice(21);
    expect(await held(200, most)).toMatchObject({
      touched: 0,
      why: "21 of 200 records would be changed or deleted, more than 20 and more than a tenth. If this is intended, pass allow many_missing",
    });
    expect(await held(200, most, { allow: ["many_missing"] })).toMatchObject({ touched: 21 });
    expect(await held(211, most)).toMatchObject({ touched: 21 });
    expect(await held(25, (rows) => rows.slice(20))).toMatchObject({ touched: 20 });
  });

  test("if the service counts more records than its list shows, and one page of a list with 200 takes no record for another", async () => {
    const { client: _, sandbox, rows, options } = await office(5);
    const last = sandbox.store.users.find(({ email }) => email === "new-5@example.com")?.id;
    const fetch: typeof sandbox.fetch = async (input, init) => {
      const answer = await sandbox.fetch(input, init);
      const page = answer.headers.get("content-type")?.includes("json") ? await answer.clone().json() : null;
      if (!Array.isArray(page)) return answer;
      return Response.json(
        page.filter(({ id }) => id !== last),
        { headers: answer.headers },
      );
    };
    const client = new MainClient({ ...connection(sandbox), fetch });
    await run(client.users, rows.slice(1), options);
    expect(await absentIn(options.to)).toMatchObject([
      [
        expect.any(Number),
        "refuse",
        "refused",
        "the list does not show all records, so records that no row names stay as they are",
      ],
    ]);
  });
});

describe("one record in no row stays as it is", () => {
  test("if a row without a record has its name or nearly its key", async () => {
    const { client, rows, options, user } = await office(4);
    const [one, two, three] = rows;
    const report = await run(
      client.users,
      [one ?? {}, { ...two, email: "married@example.com" }, { ...three, email: "'new-3@example.com" }],
      options,
    );
    expect(report).toMatchObject({ created: 1, updated: 1, unchanged: 1 });
    expect((await absentIn(report.plan)).map((row) => (row as unknown[]).slice(2))).toEqual([
      ["refused", "row 2 has the same name and matches no record: if it means this record, correct the key"],
      ["refused", "row 3 has nearly the same key: correct the row or the record"],
      ["updated", '"new-4@example.com" is in no row'],
    ]);
    expect([2, 3, 4].map((number) => user(number).middle_name ?? null)).toEqual([null, null, "gone"]);
  });

  test("if its key was changed in the service since a row had it", async () => {
    const { client, rows, options, user } = await office(3);
    await run(client.users, [...rows, { ...rows[0], email: "new-7@example.com", last_name: "Seven" }], options);
    const seven = user(7);
    await client.users.update(seven.id, { email: "new-8@example.com", last_name: "Married" });
    const report = await run(
      client.users,
      [...rows.slice(0, 2), { ...rows[0], email: "new-7@example.com", last_name: "Seven" }],
      options,
    );
    expect(report).toMatchObject({ updated: 0 });
    expect(user(8).middle_name ?? null).toBe(null);
  });

  test("if others made or changed it since the last run of the file; in the next run it goes", async () => {
    const { sandbox, client, rows, options, user } = await office(4);
    const later = () => sandbox.clock.advance(60_000);
    later();
    // This run writes person 3, and others write person 4 and make person 5.
    await run(client.users, [...rows.slice(0, 2), { ...rows[2], first_name: "Changed" }, rows[3] ?? {}], options);
    later();
    await client.users.update(user(4).id, { first_name: "Changed" });
    await client.users.create({ email: "new-5@example.com", first_name: "By", last_name: "Hand" });
    later();
    const second = await run(client.users, rows.slice(0, 2), options);
    expect((await absentIn(second.plan)).map((row) => (row as unknown[]).slice(2))).toEqual([
      ["updated", '"new-3@example.com" is in no row'],
      ["refused", "was changed since the last run, so it stays as it is until the next one"],
      ["refused", "was created since the last run, so it stays as it is until the next one"],
    ]);
    later();
    expect(await run(client.users, rows.slice(0, 2), options)).toMatchObject({ updated: 2, complete: true });
  });
});

test("the report of a file ends with the records in no row, and can be planned again", async () => {
  const { at, client, rows, options } = await office(3);
  const text = ["email,first_name,last_name", ...rows.slice(0, 2).map((row) => Object.values(row).join(","))].join(
    "\n",
  );
  writeFileSync(at("rows.csv"), text);
  const list = { ...options, missing: { where: "email contains new-", do: "list" as const } };
  expect(await run(client.users, readCsv(at("rows.csv")), { ...list, report: at("result.csv") })).toMatchObject({
    unchanged: 3,
    complete: true,
  });
  expect(readFileSync(at("result.csv"), "utf8").trim().split("\r\n").at(-1)).toMatch(
    /^,,,4,unchanged,\d+,"""new-3@example.com"" is in no row"$/,
  );
  writeFileSync(at("again.csv"), readFileSync(at("result.csv")));
  expect(await plan(client.users, readCsv(at("again.csv")), { ...list, to: at("b.plan") })).toMatchObject({
    leave: 3,
    refuse: 0,
    missing: { of: 3, leave: 1 },
  });
});

test("an option that cannot work is refused before anything is sent", async () => {
  const { at, client, sandbox } = await office(1);
  const before = sandbox.requests.length;
  const to = at("x.plan");
  const cases: [Promise<unknown>, string][] = [
    [plan(client.users, [], { to, key: "email", missing: { where: "emial=1", do: "list" } }), "missing.where"],
    [
      plan(client.users, [], { to, key: "email", missing: { where: "id=1", do: "delete" } }),
      "the service deletes no users",
    ],
    [plan(client.users, [], { to, key: "email", missing: { where: "id=1", do: "update" } }), "missing must have"],
    [
      plan(client.users, [], { to, key: "email", missing: { where: "id=1", do: "update", set: { nick: 1 } as never } }),
      "missing.set names",
    ],
    [plan(client.users, [], { to, key: "email", missing: { where: "id=1", do: "cancle" as never } }), '"cancle"'],
    [
      plan(client.orders, [], { to, key: "id", do: "approve", missing: { where: "id=1", do: "cancel" } }),
      "cannot be combined with an action on each row",
    ],
  ];
  for (const [work, message] of cases) await expect(work).rejects.toThrow(message);
  expect(sandbox.requests.length).toBe(before);
});
