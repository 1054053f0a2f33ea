import { expect, test } from "vitest";
import { plan, rowsOf, run } from "../../src/bulk/node.js";
import { testFolder } from "./support/folder.js";
import { copies, people, renaming, school } from "./support/school.js";

async function reasons(path: string): Promise<unknown[]> {
  const found = [];
  for await (const { outcome, why } of rowsOf(path)) found.push([outcome, why[0]?.message]);
  return found;
}

test("an exact copy of a refused row is refused as a copy, whatever the reason", async () => {
  const at = testFolder();
  const { client } = school();
  const [one = {}] = people(1);
  const rows = [{ ...one, label_ids: "x" }, { ...one, label_ids: "x" }, one, { ...one, first_name: "Other" }];
  const options = { to: at("a.plan"), key: "email", duplicates: "first" } as const;
  expect(await plan(client.users, rows as never, options)).toMatchObject({ create: 0, refuse: 4 });
  const copy = ["refused", "row 1 has the same key and was refused"];
  expect(await reasons(at("a.plan"))).toEqual([
    ["refused", "is not a whole number, such as 12"],
    copy,
    copy,
    ["refused", "row 1 has the same key and other values"],
  ]);
});

test("a row that is left as a copy, or refused for its own cells, is not reported as refused before", async () => {
  const at = testFolder();
  const { client } = school();
  const [one = {}] = people(1);
  const rows = [one, { ...one, first_name: "Other" }, one, { ...one, label_ids: "x" }];
  const options = { to: at("a.plan"), key: "email", duplicates: "first" } as const;
  expect(await plan(client.users, rows as never, options)).toMatchObject({ create: 1, leave: 1, refuse: 2 });
  const other = ["refused", "row 1 has the same key and other values"];
  expect(await reasons(at("a.plan"))).toEqual([
    [null, undefined],
    other,
    ["unchanged", "row 1 has the same values"],
    other,
  ]);
});

test("a copy of a row that an earlier run may have created is refused with it, and both are counted", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const odd = renaming(sandbox);
  const options = { to: at("a.plan"), key: "email" } as const;
  for (let night = 0; night < 2; night++) await run(odd.users, people(1), options);
  const rows = [...people(1), ...people(1)];
  const asked: unknown[] = [];
  const confirm = ({ create, refuse }: { create: number; refuse: number }) => asked.push([create, refuse]) > 0;
  for (const more of [{}, { duplicates: "first" }] as const) {
    const report = await run(client.users, rows, { ...options, ...more, confirm });
    expect(report).toMatchObject({ created: 0, unchanged: 0, refused: 2 });
  }
  expect(asked).toEqual([
    [0, 2],
    [0, 2],
  ]);
  expect((await reasons(at("a.plan")))[1]).toEqual(["refused", "row 1 has the same key and was refused"]);
  expect(copies(sandbox)).toEqual({});
});
