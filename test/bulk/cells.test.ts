import { expect, test } from "vitest";
import { keyOf } from "../../src/bulk/keys.js";
import { apply, type BulkRow, plan, rowsOf } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { defineSchool } from "../../src/school/index.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { school } from "./support/school.js";

async function rowsIn(path: string): Promise<BulkRow[]> {
  const rows: BulkRow[] = [];
  for await (const row of rowsOf(path)) rows.push(row);
  return rows;
}
const reasonsOf = ({ why }: BulkRow) => why.map(({ column, message }) => `${column} ${message}`).join("; ");

test("cells of custom fields are read by their types, and invalid values are refused", async () => {
  const at = testFolder();
  const own = defineSchool({
    users: { active: "boolean", topics: { type: "multiselect", options: ["art", "music"] }, size: "string" },
  });
  const sandbox = createSandbox({ size: "small", skipWaits: true, school: own });
  const client = new MainClient({ ...sandbox, school: own });
  const person = (email: string, cells: object) => ({ email, first_name: "A", last_name: "B", ...cells });
  const rows = [
    person("a@example.com", { "custom.active": "Yes", "custom.topics": "art; music;", "custom.size": "0" }),
    person("b@example.com", { "custom.active": "0", "custom.topics": " music " }),
    person("c@example.com", { "custom.active": "perhaps", "custom.topics": "art; sport" }),
    person("d@example.com", { "custom.length": "12" }),
  ];
  await plan(client.users, rows as never, { to: at("a.plan"), key: "email" });
  const [first, second, third, fourth] = (await rowsIn(at("a.plan"))) as [BulkRow, BulkRow, BulkRow, BulkRow];
  expect(first.send.custom).toEqual({ active: true, topics: ["art", "music"], size: "0" });
  expect(second.send.custom).toEqual({ active: false, topics: ["music"] });
  expect(reasonsOf(third)).toMatch(/^custom\.active must be true, false or null; custom\.topics must be an array; /);
  expect(reasonsOf(fourth)).toMatch(/^custom\.length /);
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 2, refused: 2 });
});

test("yes, true and 1 are true, and no, false and 0 are false, in upper or lower case; other numbers are neither", async () => {
  const at = testFolder();
  const { client } = school();
  const cells = ["yes", "TRUE", "1", "No", "false", " 0 ", "2", true, false];
  const rows = cells.map((wants_newsletter, row) => ({
    email: `n-${row}@example.com`,
    first_name: "A",
    last_name: "B",
    wants_newsletter,
  }));
  await plan(client.users, rows as never, { to: at("a.plan"), key: "email" });
  const read = (await rowsIn(at("a.plan"))).map(({ send }) => send.wants_newsletter);
  expect(read).toEqual([true, true, true, false, false, false, undefined, true, false]);
});

test("numbers may have a sign and decimals, but no unit, exponent or second decimal point", async () => {
  const at = testFolder();
  const { client } = school();
  const cells = ["12", " 7 ", "+3", "10.", "1e2", "12 pcs", "", "0x10", "1,5"];
  const rows = cells.map((capacity, row) => ({ name: `Room ${row}`, course_location_id: "1", capacity }));
  await plan(client.meetingLocations, rows as never, { to: at("a.plan"), key: "name" });
  const read = (await rowsIn(at("a.plan"))).map((row) => row.send.capacity ?? reasonsOf(row));
  const none = "capacity is not a number, such as 12.50";
  expect(read).toEqual([12, 7, 3, 10, none, none, "", none, none]);
});

test("identifiers are whole numbers from 1, as text, number or BigInt", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const ids = ["2", " 3 ", 4n, 5, "0", "-1", "2.5", "two", 2 ** 60];
  const rows = ids.map((id, row) => ({ id, first_name: `Changed ${row}` }));
  expect(await plan(client.users, rows as never, { to: at("a.plan"), key: "id" })).toMatchObject({ update: 4 });
  const all = await rowsIn(at("a.plan"));
  expect(all.map(({ id }) => id)).toEqual([2, 3, 4, 5, null, null, null, null, null]);
  expect(reasonsOf(all[4] as BulkRow)).toBe("id is not an identifier");
  await apply(client, at("a.plan"));
  expect(sandbox.store.users.get(4)?.first_name).toBe("Changed 2");
});

test("a BigInt too large for a number keeps its digits, so that it finds no other record", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  // As numbers, the two keys would be equal.
  const [key, other] = [1234567890123456789n, "1234567890123456800"];
  sandbox.store.users.update(1, { custom: { ref: String(key) } });
  sandbox.store.users.update(2, { custom: { ref: other } });
  await plan(client.users, [{ "custom.ref": key, first_name: "Renamed" }] as never, {
    to: at("a.plan"),
    key: "custom.ref" as never,
  });
  expect((await rowsIn(at("a.plan"))).map(({ id }) => id)).toEqual([1]);
  const name = (first_name: bigint) => ({ email: `${first_name}@example.com`, first_name, last_name: "B" });
  await plan(client.users, [name(key), name(7n)] as never, { to: at("b.plan"), key: "email" });
  expect((await rowsIn(at("b.plan"))).map((row) => row.send.first_name ?? reasonsOf(row))).toEqual([
    String(key),
    expect.stringContaining("first_name"),
  ]);
});

test("only keys that are e-mail addresses ignore case; all keys ignore the composition of letters and surrounding blanks", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const [user] = [...sandbox.store.users].slice(1);
  const upper = [{ email: ` ${user?.email.toUpperCase()} `, last_name: user?.last_name }];
  const leave = await plan(client.users, upper as never, { to: at("a.plan"), key: "email", update: false });
  expect(leave).toMatchObject({ leave: 1 });
  const padded = { email: " new@example.com ", first_name: " Ada ", last_name: "Fox" };
  await plan(client.users, [padded], { to: at("c.plan"), key: "email" });
  expect((await rowsIn(at("c.plan"))).map(({ send }) => send)).toEqual([
    { email: "new@example.com", first_name: " Ada ", last_name: "Fox" },
  ]);
  sandbox.store.labels.insert({ name: "Caf\u00e9", model_type: "Lead" });
  const labels = ["Cafe\u0301", "CAF\u00c9", "Caf\u00e9 "].map((name) => ({ name, model_type: "Lead" }));
  await plan(client.labels, labels as never, { to: at("b.plan"), allowAlike: true, key: ["name", "model_type"] });
  expect((await rowsIn(at("b.plan"))).map((row) => row.do)).toEqual(["refuse", "create", "refuse"]);
});

test("a time equals the same Date, and the same time in another time zone", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const [meeting] = sandbox.store.meetings;
  const start = new Date(String(meeting?.start_date_time));
  const ahead = new Date(start.getTime() + 3_600_000).toISOString().replace("Z", "+01:00");
  const rows = [start, ahead, new Date(start.getTime() + 1)].map((time) => ({
    id: meeting?.id,
    start_date_time: time,
  }));
  const read: string[] = [];
  for (const row of rows) {
    await plan(client.meetings, [row] as never, { to: at("a.plan"), key: "id" });
    read.push(...(await rowsIn(at("a.plan"))).map((planned) => planned.do));
  }
  expect(read).toEqual(["leave", "leave", "update"]);
});

test("a cell with several values separates them by semicolons, and each value is checked", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const [one, two] = ["One", "Two"].map((name) => sandbox.store.labels.insert({ name, model_type: "User" }).id);
  const cells = [`${one}; ${two};`, ` ${two} `, `${one}; x`, ";"];
  const rows = cells.map((label_ids, row) => ({
    email: `l-${row}@example.com`,
    first_name: "A",
    last_name: "B",
    label_ids,
  }));
  await plan(client.users, rows as never, { to: at("a.plan"), key: "email" });
  const all = await rowsIn(at("a.plan"));
  expect(all.map((row) => row.send.label_ids ?? reasonsOf(row))).toEqual([
    [one, two],
    [two],
    "label_ids is not a whole number, such as 12",
    [],
  ]);
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 3, complete: false });
  await plan(client.users, [{ email: "l-0@example.com", label_ids: "" }] as never, {
    to: at("b.plan"),
    key: "email",
    clear: ["label_ids"],
  });
  expect((await rowsIn(at("b.plan"))).map(({ send, before }) => [send, before])).toEqual([
    [{ label_ids: [] }, { label_ids: [one, two] }],
  ]);
});

test("blank cells, null and undefined count as empty, and leave a field unchanged", async () => {
  const at = testFolder();
  const { client } = school();
  const rows = [" \t ", null, undefined, ""].map((first_name, row) => ({ id: row + 2, first_name }));
  expect(await plan(client.users, rows as never, { to: at("a.plan"), key: "id" })).toMatchObject({ leave: 4 });
});

test("a BigInt from a database driver is a number in any field", async () => {
  const at = testFolder();
  const { client } = school();
  const row = { name: "Room", course_location_id: 1n, capacity: 12n };
  await plan(client.meetingLocations, [row] as never, { to: at("a.plan"), key: "name" });
  expect((await rowsIn(at("a.plan"))).map(({ send }) => send)).toEqual([
    { name: "Room", course_location_id: 1, capacity: 12 },
  ]);
});

test("a key of two fields finds its record by both, with times in any zone; text that only resembles a time stays text", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const meetings = [...sandbox.store.meetings];
  const start = new Date(String(meetings[0]?.start_date_time));
  const ahead = new Date(start.getTime() + 3_600_000).toISOString().replace("Z", "+01:00");
  sandbox.store.meetings.update(meetings[0]?.id ?? 0, { name: "Same name" });
  sandbox.store.meetings.update(meetings[1]?.id ?? 0, {
    name: "Same name",
    start_date_time: new Date(start.getTime() + 60_000).toISOString(),
  });
  const rows = [{ name: "Same name", start_date_time: ahead, description: "Found" }];
  await plan(client.meetings, rows as never, { to: at("a.plan"), key: ["name", "start_date_time"], create: false });
  expect((await rowsIn(at("a.plan"))).map((row) => [row.id, reasonsOf(row)])).toEqual([[meetings[0]?.id, ""]]);
  const names = ["2031-99-99T10:00:00Z", "on 2031-03-04T10:00:00Z", "2031-03-04T10:00:00Z or later"];
  const labels = names.map((name) => ({ name, model_type: "Lead" }));
  expect(
    await plan(client.labels, labels as never, { to: at("b.plan"), allowAlike: true, key: ["name", "model_type"] }),
  ).toMatchObject({
    create: 3,
  });
});

test("a single cell cannot contain a nested value", async () => {
  const at = testFolder();
  const { client } = school();
  const rows = [{ email: "a@example.com", address_attributes: "Main Street 1" }];
  await plan(client.users, rows as never, { to: at("a.plan"), key: "email" });
  expect((await rowsIn(at("a.plan"))).map(reasonsOf)).toEqual(["address_attributes cannot be read from one cell"]);
});

test("rows that are not objects, and an empty list of rows, are refused before anything is sent", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const options = { to: at("a.plan"), key: "email" as const };
  for (const rows of [7, "rows", null, undefined, {}, { [Symbol.iterator]: 7 }] as never[]) {
    expect((await failure(plan(client.users, rows, options))).message).toContain("must be iterable");
  }
  expect((await failure(plan(client.users, [[1]] as never, options))).message).toContain("row 1 is not an object");
  expect(sandbox.requests).toHaveLength(0);
});

test("a custom field called __proto__ is refused, not left out", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));
  const row = { email: "a@example.com", first_name: "A", last_name: "B", "custom.__proto__": "C" };
  const error = await failure(plan(client.users, [row] as never, { to: at("a.plan"), key: "email" }));
  expect(error.message).toContain('"custom.__proto__": no sign-up question defines that custom field');
});

test.each([
  ["email", true],
  ["billing_email", true],
  ["contact.email", true],
  ["email_format", false],
  ["femail", false],
])("keys of the field %s ignore case: %s", (path, ignores) => {
  expect(keyOf([path], ["A@School.example"])).toBe(ignores ? "a@school.example" : "A@School.example");
});
