import { expect, test } from "vitest";
import { FirstRows } from "../../src/bulk/keys.js";
import { apply, type BulkRow, plan, rowsOf } from "../../src/bulk/node.js";
import { testFolder } from "./support/folder.js";
import { school } from "./support/school.js";

async function rowsIn(path: string): Promise<BulkRow[]> {
  const rows: BulkRow[] = [];
  for await (const row of rowsOf(path)) rows.push(row);
  return rows;
}
const reasonsOf = ({ why }: BulkRow) =>
  why.map(({ column, message }) => [column, message].filter(Boolean).join(" ")).join("; ");
const only = async (path: string) => (await rowsIn(path))[0] as BulkRow;

test("a field that only updates accept is refused for a new record, and one that only creates accept for an existing record", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const rows = [{ name: "New category", slug: "new" }];
  await plan(client.categories, rows as never, { to: at("a.plan"), key: "name" });
  expect(await only(at("a.plan"))).toMatchObject({ do: "refuse", send: {} });
  expect(reasonsOf(await only(at("a.plan")))).toBe("slug cannot be set when a record is created");
  const [material] = sandbox.store.materials;
  const other = material?.use_type === "consumable" ? "reusable" : "consumable";
  for (const use_type of [other, material?.use_type]) {
    await plan(client.materials, [{ id: material?.id, use_type }] as never, { to: at("b.plan"), key: "id" });
    const row = await only(at("b.plan"));
    expect([row.do, reasonsOf(row)]).toEqual(
      use_type === other ? ["refuse", "use_type cannot be changed once a record exists"] : ["leave", ""],
    );
  }
});

test("a field that cannot be read back is refused for an existing record, and set in a new one", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const email = sandbox.store.users.get(2)?.email ?? "";
  const rows = [
    { email, with_authentication: "yes" },
    { email: "new@example.com", first_name: "A", last_name: "B", with_authentication: "yes" },
  ];
  await plan(client.users, rows as never, { to: at("a.plan"), key: "email" });
  const [old, fresh] = (await rowsIn(at("a.plan"))) as [BulkRow, BulkRow];
  expect(reasonsOf(old)).toBe("with_authentication cannot be read back, so a plan could neither show nor undo it");
  expect(fresh.send).toMatchObject({ with_authentication: true });
});

test("an amount that creates accept as a number and updates as text may be written either way", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const [program] = sandbox.store.programs;
  const rows = [
    { name: "New program", cost: "1250", category_id: "1", cost_scheme: program?.cost_scheme },
    { name: program?.name, cost: "77.70" },
  ];
  await plan(client.programs, rows as never, { to: at("a.plan"), key: "name" });
  const [created, updated] = (await rowsIn(at("a.plan"))) as [BulkRow, BulkRow];
  expect([reasonsOf(created), reasonsOf(updated)]).toEqual(["", ""]);
  expect(created.send.cost).toBe(1250);
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 1, updated: 1, complete: true });
  expect(sandbox.store.programs.get(program?.id ?? 0)?.cost).toBe("77.70");
});

test("records that must not be changed stay unchanged, and the plan says which fields differ and why", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const { email = "", last_name } = sandbox.store.users.get(2) ?? {};
  const rows = [{ email, first_name: "Other", last_name, middle_name: "" }];
  const options = {
    to: at("a.plan"),
    key: "email",
    columns: { first_name: "first_name", last_name: "last_name" },
  } as const;
  await plan(client.users, rows, { ...options, update: false });
  const row = await only(at("a.plan"));
  expect([row.do, reasonsOf(row)]).toEqual([
    "leave",
    "first_name differs, but stays as it is: the option update is false",
  ]);
  expect(await apply(client, at("a.plan"))).toMatchObject({ unchanged: 1, complete: true });
  await plan(client.users, [{ email: "new@example.com", first_name: "A", last_name: "B" }], {
    ...options,
    create: false,
  });
  expect(reasonsOf(await only(at("a.plan")))).toBe(
    "no record has this key, and none will be created: the option create is false",
  );
});

test("part of an address is sent with the rest; a record without an address needs a complete one", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const address = { address: "Main Street 1", postal_code: "1234", city: "Town", country: "NL" } as const;
  await client.accounts.update(1, { name: sandbox.store.accounts.get(1)?.name ?? "", address_attributes: address });
  const none = [...sandbox.store.accounts].find((account) => account.address === null)?.id ?? 0;
  const rows = [
    { id: 1, "address_attributes.city": "Village" },
    { id: none, "address_attributes.city": "Village" },
    {
      id: none,
      ...Object.fromEntries(Object.entries(address).map(([name, value]) => [`address_attributes.${name}`, value])),
    },
  ];
  await plan(client.accounts, rows.slice(0, 2) as never, { to: at("a.plan"), key: "id" });
  const [part, lacking] = (await rowsIn(at("a.plan"))) as [BulkRow, BulkRow];
  expect(part.send).toEqual({ "address_attributes.city": "Village" });
  expect(part.before).toEqual({ "address_attributes.city": "Town" });
  expect(lacking.do).toBe("refuse");
  expect(reasonsOf(lacking)).toContain("address_attributes.address is missing");
  await apply(client, at("a.plan"));
  expect(sandbox.store.accounts.get(1)?.address).toMatchObject({ ...address, city: "Village" });
  await plan(client.accounts, rows.slice(2) as never, { to: at("b.plan"), key: "id" });
  const whole = await only(at("b.plan"));
  expect(whole.send).toEqual({ address_attributes: address });
  expect(whole.before).toEqual({ address_attributes: null });
});

test("the third row with a key is refused together with the first", async () => {
  const at = testFolder();
  const { client } = school();
  const rows = [1, 2, 3].map((row) => ({ email: "a@example.com", first_name: `Row ${row}`, last_name: "B" }));
  expect(await plan(client.users, rows, { to: at("a.plan"), key: "email" })).toMatchObject({ create: 0, refuse: 3 });
  expect((await rowsIn(at("a.plan"))).map(reasonsOf)).toEqual([
    "row 2 has the same key",
    "row 1 has the same key",
    "row 1 has the same key",
  ]);
});

test("of 5,000 keys, each repeated one is found with its first row, and no other", () => {
  const first = new FirstRows();
  const found: unknown[] = [];
  for (let row = 1; row <= 5_000; row++) found.push(first.note(`key ${row}`, row, "create"));
  expect(found.filter((one) => one !== null)).toEqual([]);
  for (let row = 1; row <= 5_000; row++) {
    expect(first.note(`key ${row}`, 5_000 + row, "update")).toEqual({ row, kind: "create", isEqual: true });
  }
  first.refuse(7);
  expect(first.note("key 7", 50_000, "update")).toEqual({ row: 7, kind: "refuse", isEqual: true });
  // "KEY 7" resembles the refused "key 7". A second "KEY 7" equals the first one.
  expect(first.note("KEY 7", 50_001, "leave")).toEqual({ row: 7, kind: "refuse", isEqual: false });
  expect(first.note("KEY 7", 50_002, "leave")).toEqual({ row: 50_001, kind: "leave", isEqual: true });
});

test("a row for a record that the service cannot change is refused if it differs, unless no record is to be changed", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const [vat] = [...sandbox.store.invoiceVats];
  const rows = [{ name: vat?.name, percentage: 1 + Number(vat?.percentage) }] as never;
  const options = { to: at("a.plan"), key: "name" } as const;
  expect(await plan(client.invoiceVats, rows, options)).toMatchObject({ create: 0, refuse: 1 });
  const message = `percentage differs from record ${vat?.id}: the service cannot change these records`;
  expect(reasonsOf(await only(at("a.plan")))).toBe(message);
  expect(await apply(client, at("a.plan"))).toMatchObject({ refused: 1, complete: false });
  expect(await plan(client.invoiceVats, rows, { ...options, update: false })).toMatchObject({ leave: 1, refuse: 0 });
  const same = [{ name: vat?.name, percentage: vat?.percentage }] as never;
  expect(await plan(client.invoiceVats, same, options)).toMatchObject({ leave: 1, refuse: 0 });
});
