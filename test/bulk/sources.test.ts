import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type BulkProgress, type BulkRow, plan, readCsv, rowsOf, writeReport } from "../../src/bulk/node.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { school } from "./support/school.js";

async function rowsIn(path: string): Promise<BulkRow[]> {
  const rows: BulkRow[] = [];
  for await (const row of rowsOf(path)) rows.push(row);
  return rows;
}
const reasonsOf = ({ why }: BulkRow) =>
  why.map(({ column, message }) => [column, message].filter(Boolean).join(" ")).join("; ");
const ADDRESS = { address: "Main Street 1", postal_code: "1234", city: "Town", country: "NL" };

test("nested objects are read field by field, by paths as column names or by paths given for columns", async () => {
  const at = testFolder();
  const { client } = school();
  const body = { name: "New", address_attributes: ADDRESS, custom: { sector: "care" } };
  const flat = {
    name: "New",
    ...Object.fromEntries(Object.entries(ADDRESS).map(([name, value]) => [`address_attributes.${name}`, value])),
    "custom.sector": "care",
  };
  const other = { title: "New", place: { ...ADDRESS, town: "Town" }, "place.sector": "care" };
  const columns = {
    name: "title",
    "address_attributes.address": "place.address",
    "address_attributes.postal_code": "place.postal_code",
    "address_attributes.city": "place.town",
    "address_attributes.country": "place.country",
    // A column's name may contain a dot.
    "custom.sector": "place.sector",
  };
  for (const [rows, more] of [
    [body, {}],
    [flat, {}],
    [other, { columns }],
  ] as const) {
    await plan(client.accounts, [rows] as never, { to: at("a.plan"), key: "name", ...more });
    expect((await rowsIn(at("a.plan"))).map(({ send }) => send)).toEqual([body]);
  }
});

test("a key that `columns` leaves out is read from the column with its name", async () => {
  const at = testFolder();
  const { client } = school();
  writeFileSync(at("rows.csv"), "email;Given name;Family name;Ignored\na@example.com;A;B;C\n");
  const columns = { first_name: "Given name", last_name: "Family name" };
  await plan(client.users, readCsv(at("rows.csv")), { to: at("a.plan"), key: "email", columns });
  expect((await rowsIn(at("a.plan"))).map(({ send }) => send)).toEqual([
    { email: "a@example.com", first_name: "A", last_name: "B" },
  ]);
});

test("rows from a database driver, with BigInt and dates, are planned and reported", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const { id } = sandbox.store.meetings.get(1) ?? { id: 0 };
  const time = new Date("2031-03-04T10:00:00Z");
  const end = new Date("2031-03-04T11:00:00Z");
  await plan(client.meetings, [{ id: BigInt(id), start_date_time: time, end_date_time: end }] as never, {
    to: at("a.plan"),
    key: "id",
  });
  const [row] = await rowsIn(at("a.plan"));
  expect(row).toMatchObject({ do: "update", id });
  await writeReport(at("a.plan"), at("a.csv"));
  expect(readFileSync(at("a.csv"), "utf8").split("\r\n")[1]).toBe(
    `${id},2031-03-04T10:00:00.000Z,2031-03-04T11:00:00.000Z,1,,${id},`,
  );
});

test("an action leaves records that already have its state, and refuses values that are no record or no identifier", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const [one, two] = [...sandbox.store.teachers];
  sandbox.store.teachers.update(one?.id ?? 0, { active: true });
  sandbox.store.teachers.update(two?.id ?? 0, { active: false });
  const rows = [one?.id, two?.id, 999_999, "x", ""].map((id) => ({ id }));
  const summary = await plan(client.teachers, rows as never, { to: at("a.plan"), key: "id", do: "activate" });
  expect(summary).toMatchObject({ update: 1, leave: 1, refuse: 3 });
  const [left, changed, ...refused] = (await rowsIn(at("a.plan"))) as [BulkRow, BulkRow, ...BulkRow[]];
  expect([left.do, left.id]).toEqual(["leave", one?.id]);
  expect([changed.send, changed.before]).toEqual([{ active: true }, { active: false }]);
  expect(refused.map(reasonsOf)).toEqual([
    "no record has this identifier",
    "id is not an identifier",
    "id is empty, so the row has no key",
  ]);
  const action = await failure(
    plan(client.teachers, rows as never, { to: at("b.plan"), key: "email" as never, do: "activate" }),
  );
  expect(action.message).toContain('must be "id" if the option do names an action');
});

// If the list can be filtered by identifiers, one request reads a hundred records; otherwise each record takes a
// request.
test("corrections by identifier read only the records they name, not the whole list", async () => {
  const at = testFolder();
  const { client, sandbox } = school(3000);
  const rows = [5, 2500, 999_999].map((id) => ({ id, first_name: "Changed" }));
  const summary = await plan(client.users, rows as never, { to: at("a.plan"), key: "id" });
  expect(summary).toMatchObject({ update: 2, refuse: 1 });
  expect(summary.read).toBe(sandbox.requests.length);
  expect(summary.read).toBeLessThan(10);
  expect(reasonsOf((await rowsIn(at("a.plan")))[2] as BulkRow)).toBe(
    "no record has this key, and none will be created: rows with identifiers create no records",
  );
});

test("corrections by identifier read the list if that takes fewer requests", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  while (sandbox.store.courses.count < 350) sandbox.store.courses.insert({});
  const rows = Array.from({ length: 50 }, (_, row) => ({ id: row + 1, name: `Changed ${row}` }));
  const options = { to: at("a.plan"), key: "id" } as const;
  expect(await plan(client.courses, rows, options)).toMatchObject({ update: 50, read: 4 });
  // The two pages of the list, and one read for each of the two rows.
  expect(await plan(client.courses, [...rows.slice(0, 1), { id: 999_999 }], options)).toMatchObject({
    refuse: 1,
    read: 4,
  });
});

test("progress counts planned rows and sent requests", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const told: BulkProgress[] = [];
  const rows = [1, 2].map((row) => ({ email: `a-${row}@example.com`, first_name: "A", last_name: "B" }));
  const onProgress = (progress: BulkProgress) => {
    told.push(progress);
    throw new Error("an observer's own problem");
  };
  await plan(client.users, rows, { to: at("a.plan"), key: "email", onProgress });
  const at1 = { total: null, requests: sandbox.requests.length, waitingUntil: null, waitingFor: null, endsAt: null };
  expect(told.slice(-2)).toEqual([
    { rows: 1, percent: null, ...at1 },
    { rows: 2, percent: null, ...at1 },
  ]);
});

test("progress gives the share of the list read, based on a total that may be missing, wrong or changing", async () => {
  const at = testFolder();
  const rows = [1, 2, 3, 4, 5].map((row) => ({ email: `a-${row}@example.com`, first_name: "A", last_name: "B" }));
  const percents = async (...totals: readonly (string | null)[]) => {
    const { client, sandbox } = school(400);
    const users = sandbox.store.users.count;
    sandbox.faults.next(...totals.map((total) => ({ operation: "users.list" as const, headers: { total } })));
    const told: BulkProgress[] = [];
    const onProgress = (progress: BulkProgress) => void told.push(progress);
    expect(await plan(client.users, rows, { to: at("a.plan"), key: "email", onProgress })).toMatchObject({ create: 5 });
    const read = told.filter((progress) => progress.rows === 0);
    return { users, percents: read.map(({ percent }) => percent), ends: read.map(({ endsAt }) => endsAt !== null) };
  };
  const { users, ...honest } = await percents();
  const pages = Math.ceil(users / 100);
  expect(pages).toBeGreaterThan(2);
  const shares = Array.from({ length: pages - 1 }, (_, page) => (100 * 100 * (page + 1)) / users);
  expect(honest).toEqual({ percents: [...shares, 100], ends: Array(pages).fill(true) });
  const nothing = Array(pages - 1).fill(null);
  expect(await percents(...nothing)).toMatchObject({ percents: [...nothing, 100] });
  expect((await percents("100", "100")).percents.slice(0, 2)).toEqual([null, null]);
  expect((await percents("1000", "250")).percents.slice(0, 2)).toEqual([10, 80]);
});
