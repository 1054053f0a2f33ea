import { describe, expect, test } from "vitest";
import { DOUBTS } from "../../src/bulk/file/damage.js";
import { alikeForm, keyOf, spellKey, whyNoNewKey } from "../../src/bulk/keys.js";
import { apply, type BulkRow, plan, rowsOf, run } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { drawCases } from "../support/amount.js";
import { testFolder } from "./support/folder.js";
import { connection } from "./support/school.js";

// Spellings of a key as web pages, e-mails, spreadsheets and other systems produce them; each line begins with the
// clean text.
const TEXTS: readonly (readonly [text: string, ...spellings: string[]])[] = [
  [
    "Ada Lovelace",
    ...["ada lovelace", "ADA LOVELACE", "Ada  Lovelace", "Ada\u00A0Lovelace", "Ada\u2009Lovelace", "Ada\tLovelace"],
    ...[
      "Ada\u200B Lovelace",
      "\u200EAda Lovelace",
      "Ada\u00AD Lovelace",
      "Ada\u2060 Lovelace",
      "\u202AAda Lovelace\u202C",
    ],
    ...["Ada\u0000 Lovelace", "\uFF21da Lovelace", "'Ada Lovelace", '"Ada Lovelace"', "\u2018Ada Lovelace\u2019"],
    ...["AdaLovelace", "Ada\u3000Lovelace", "Ada\r\nLovelace", "Ada \u{E0041}Lovelace"],
  ],
  [
    "O'Brien-Fox",
    "O\u2019Brien-Fox",
    "O\u00B4Brien-Fox",
    "O`Brien-Fox",
    "O\u02BCBrien-Fox",
    "O'Brien\u2010Fox",
    "O'Brien\u2013Fox",
    "o'brien\u2011fox",
    "O&#39;Brien-Fox",
    "O&rsquo;Brien Fox.",
    "OBrien_Fox",
  ],
  ["Stra\u00DFe fi", "Strasse fi", "STRASSE FI", "Stra\u1E9Ee fi", "Stra\u00DFe \uFB01"],
  [
    "ada@example.org",
    "mailto:ada@example.org",
    "'ada@example.org",
    "\u200Bada@example.org",
    "ada\u2060@example.org",
    "MAILTO:Ada@example.org",
    "\uFF41da@example.org",
  ],
  [
    "00123",
    "123",
    "0123",
    "123.0",
    "123,00",
    "+123",
    "1.23E+2",
    "1,23e+02",
    "'00123",
    "\uFF11\uFF12\uFF13",
    "123.",
    "\u0661\u0662\u0663",
  ],
  [
    "1234567",
    "1,234,567",
    "1.234.567",
    "1 234 567",
    "1'234'567",
    "1\u202F234\u202F567",
    "01234567",
    "1234567.00",
    "1.234567E+06",
  ],
  [
    "0612345678",
    "+06 1234 5678",
    "06-12345678",
    "06 12 34 56 78",
    "(06)12345678",
    "612345678",
    "06.12.34.56.78",
    "06/12345678",
  ],
];
const SPELLINGS = TEXTS.flatMap(([text, ...all]) => all.map((spelling) => [text, spelling] as const));

test("sixty spellings and more are alike to their keys, and no two keys to each other", () => {
  expect(SPELLINGS.length).toBeGreaterThanOrEqual(60);
  for (const [text, spelling] of SPELLINGS) {
    const [one = "", other = ""] = [text, spelling].map((value) => keyOf(["name"], [value]) ?? "");
    expect([spelling, alikeForm(one)]).toEqual([spelling, alikeForm(other)]);
    const pair = [text, spelling].map((value) => keyOf(["name", "kind"], [value, "Lead"]) ?? "");
    expect([spelling, alikeForm(pair[0] ?? "")]).toEqual([spelling, alikeForm(pair[1] ?? "")]);
  }
  const keys = [
    ...TEXTS.map(([text]) => text),
    "Ada Lovelac",
    "Zo\u00EB",
    "Zoe",
    "A007",
    "A7",
    "1.5",
    "15",
    "Module 1.1",
    "Module 11",
    "1234568",
    "-123",
    "1240",
    "2E3x",
    '["a',
    '["b"]',
    "\u2764\uFE0F VIP",
    "\u2764\uFE0F",
    "\u{1F469}\u200D\u{1F52C}",
  ];
  expect([...new Map(keys.map((key) => [alikeForm(key), key])).values()]).toEqual(keys);
});

test("a new record gets no key with invisible characters, nor a number that a spreadsheet has shortened", () => {
  const refused = ["a\u200Bb", "a\u0007b", "\u202Ab", "6.12E+08", "6,1e+12", '["ok","a\u00ADb"]'];
  expect(refused.map((key) => whyNoNewKey(key)?.message)).toEqual([
    '"a<U+200B>b" contains the invisible character <U+200B>',
    '"a<U+0007>b" contains the invisible character <U+0007>',
    '"<U+202A>b" contains the invisible character <U+202A>',
    '"6.12E+08" is a number that a spreadsheet has shortened',
    '"6,1e+12" is a number that a spreadsheet has shortened',
    '["ok","a<U+00AD>b"] contains the invisible character <U+00AD>',
  ]);
  for (const key of ["2E3", "1e5", "\u2764\uFE0F VIP", "\u{1F469}\u200D\u{1F52C}", "Ada Lovelace", "E+3"])
    expect(whyNoNewKey(key)).toBeNull();
  expect(spellKey("a\u00A0b \n")).toBe('"a<U+00A0>b \\n"');
});

/** A school that has a record with this key. */
function schoolWith(title: string) {
  const lead = (text: string) => ({ title: text, email: "x@example.org", status: "prospect" });
  const sandbox = createSandbox({ empty: true, skipWaits: true, data: { leads: [lead(title), lead("zz")] } });
  return { sandbox, client: new MainClient(connection(sandbox)) };
}

async function rowsIn(path: string): Promise<BulkRow[]> {
  const rows: BulkRow[] = [];
  for await (const row of rowsOf(path)) rows.push(row);
  return rows;
}

// Each pair has a clean text and one of its spellings, in either order.
const DRAWN = drawCases(
  TEXTS.flatMap(([text, ...all]) => all.map((spelling, at) => (at % 2 === 0 ? [text, spelling] : [spelling, text]))),
  8,
);

describe("a row whose key is nearly that of", () => {
  test("a record is refused with both spellings and its identifier, unless that is allowed", async () => {
    const at = testFolder();
    for (const [theirs = "", ours = ""] of DRAWN) {
      const { sandbox, client } = schoolWith(theirs);
      for (const key of ["title", ["title", "email"]] as const) {
        const rows = [{ title: ours, email: "x@example.org", status: "prospect" }];
        expect([theirs, ours, await plan(client.leads, rows, { to: at("a.plan"), key, allow: DOUBTS })]).toMatchObject([
          theirs,
          ours,
          { create: 0, refuse: 1 },
        ]);
        const [row] = await rowsIn(at("a.plan"));
        expect(row?.why[0]?.message).toMatch(
          /^(record 1 has the key .*, the row .*|the key .* (contains|is) .*)\. Correct the row; if both are right, pass allowAlike$/,
        );
        expect(
          await plan(client.leads, rows, { to: at("a.plan"), key, allow: DOUBTS, allowAlike: true }),
        ).toMatchObject({
          create: 1,
        });
      }
      expect(sandbox.store.leads.count).toBe(2);
    }
  });

  test("another row is refused with it, unless both have their records", async () => {
    const at = testFolder();
    const { client } = schoolWith("zz");
    for (const [one = "", other = ""] of DRAWN) {
      const rows = [one, "Between", other].map((title) => ({ title, email: "x@example.org", status: "prospect" }));
      const options = { to: at("a.plan"), key: "title", allow: DOUBTS } as const;
      expect([one, other, await plan(client.leads, rows, options)]).toMatchObject([
        one,
        other,
        { create: 1, refuse: 2 },
      ]);
      expect(await plan(client.leads, rows, { ...options, allowAlike: true })).toMatchObject({ create: 3 });
    }
    await client.leads.create({ title: "Acme", status: "prospect", quality: null });
    await client.leads.create({ title: "ACME", status: "prospect", quality: null });
    const both = ["Acme", "ACME", "ACME"].map((title) => ({ title, status: "prospect" }));
    expect(await plan(client.leads, both.slice(0, 2), { to: at("a.plan"), key: "title" })).toMatchObject({
      refuse: 0,
      create: 0,
    });
    // The two equal rows are refused; the similar row before them is not.
    expect(await plan(client.leads, both, { to: at("a.plan"), key: "title" })).toMatchObject({ refuse: 2, create: 0 });
  });

  test("a record that the list's filter shows is refused where few rows are asked for one by one", async () => {
    const at = testFolder();
    const sandbox = createSandbox({ size: 1000, skipWaits: true });
    const client = new MainClient(connection(sandbox));
    const { email = "" } = sandbox.store.users.get(900) ?? {};
    const rows = ["mailto:", "'", "\u200B"].map((sign) => ({
      email: `${sign}${email}`,
      first_name: "A",
      last_name: "B",
    }));
    for (const row of rows) {
      const summary = await plan(client.users, [row], { to: at("a.plan"), key: "email" });
      expect(summary).toMatchObject({ create: 0, refuse: 1 });
      expect(summary.read).toBeLessThan(8);
    }
  });

  test("a record that an earlier run knew, and which has another key now, is refused with its identifier", async () => {
    const at = testFolder();
    const { sandbox, client } = schoolWith("Kept Fox");
    const rows = ["Kept Fox", "New Fox"].map((title) => ({ title, status: "prospect" }));
    const options = { to: at("a.plan"), key: "title" } as const;
    const first = await run(client.leads, rows, options);
    await client.leads.delete((await rowsIn(first.plan))[1]?.id ?? 0);
    const all = [...rows, { title: "Third", status: "prospect" }];
    const [, made, third] = await rowsIn((await run(client.leads, all, options)).plan);
    for (const id of [1, made?.id ?? 0, third?.id ?? 0]) sandbox.store.leads.update(id, { title: `Moved ${id}` });
    expect(await run(client.leads, all, options)).toMatchObject({ created: 0, refused: 3 });
    const messages = (await rowsIn(at("a.plan"))).map(({ why }) => why[0]?.message);
    expect(messages[0]).toMatch(
      /^record 1 had the key "Kept Fox" or nearly the same in an earlier run, but has another key now\. /,
    );
    expect(messages[1]).toContain(`record ${made?.id} had the key "New Fox"`);
    expect(messages[2]).toContain(`record ${third?.id} had the key "Third"`);
    expect(
      await run(
        client.leads,
        rows.map(({ title }) => ({ title: title.toUpperCase(), status: "prospect" })),
        options,
      ),
    ).toMatchObject({ refused: 2 });
    // If the record that a row created has been deleted, it no longer causes the row to be refused.
    await client.leads.delete(made?.id ?? 0);
    expect(await run(client.leads, rows, options)).toMatchObject({ created: 1, refused: 1 });
    expect(await run(client.leads, rows, { ...options, allowAlike: true })).toMatchObject({ created: 1 });
    expect([...sandbox.store.leads].filter(({ title }) => title === "New Fox")).toHaveLength(1);
  });
});

test("identifiers are written in digits: a spreadsheet's 1e0 is not record 1", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));
  const rows = ["1e0", "0x1", "0b1", "+1", "1.0", "1 0"].map((id) => ({ id, first_name: "New" }));
  const options = { to: at("a.plan"), key: "id" } as const;
  expect(await plan(client.users, rows, options)).toMatchObject({ refuse: 6 });
  expect(await plan(client.users, [{ id: " 1 ", first_name: "New" }], options)).toMatchObject({ update: 1 });
});

test("a key that is found by another field is its record or refused, in whatever spelling: no second record is planned", async () => {
  const at = testFolder();
  for (const [theirs = "", ours = ""] of DRAWN) {
    const data = { courseLocations: [{ name: theirs }], meetingLocations: [{ name: "Room", course_location_id: 1 }] };
    const client = new MainClient(createSandbox({ empty: true, skipWaits: true, data }));
    const rows = [ours, theirs].map((found) => ({ name: "Room", course_location_id: found }));
    const options = {
      to: at("a.plan"),
      key: ["name", "course_location_id"],
      find: { course_location_id: "name" },
      allow: DOUBTS,
    } as const;
    for (const row of rows)
      expect([row, await plan(client.meetingLocations, [row] as never, options)]).toMatchObject([row, { create: 0 }]);
    const alike = rows.map((row) => ({ ...row, name: "ro\u200Bom" }));
    expect([ours, await plan(client.meetingLocations, alike as never, options)]).toMatchObject([
      ours,
      { create: 0, refuse: 2 },
    ]);
    const other = [{ name: "Hall", course_location_id: theirs }];
    expect([theirs, await plan(client.meetingLocations, other as never, options)]).toMatchObject([
      theirs,
      { create: 1 },
    ]);
  }
});

test("a firm's row never writes into the account of a person of the same name, nor ties somebody to it", async () => {
  const at = testFolder();
  const name = "Ada Fox";
  const sandbox = createSandbox({ empty: true, skipWaits: true, data: { users: [{ email: "ada@example.com" }] } });
  const client = new MainClient(sandbox);
  const person = sandbox.store.accounts.insert({ name, account_type: "personal", email: "ada@example.com" });
  const rows = [{ name, email: "billing@example.com" }];
  const options = { to: at("a.plan"), key: ["name", "account_type"], set: { account_type: "business" } } as const;
  const alone = await plan(client.accounts, rows, { to: at("a.plan"), key: "name" });
  const message = "record … has the account_type personal, but new records have business: add account_type to the key";
  expect(alone).toMatchObject({ refuse: 1, reasons: [{ message, count: 1 }] });
  const ties = [{ user_id: 1, account_id: name }];
  const tie = (find: string) =>
    run(client.affiliations, ties, { to: at("t.plan"), key: ["user_id", "account_id"], find: { account_id: find } });
  const firms = "name where account_type=business";
  expect(await tie(firms)).toMatchObject({ refused: 1 });

  expect(await run(client.accounts, rows, options)).toMatchObject({ created: 1, complete: true });
  expect(await run(client.accounts, rows, options)).toMatchObject({ unchanged: 1 });
  expect(await plan(client.accounts, rows, { to: at("b.plan"), key: "name" })).toMatchObject({ refuse: 1 });
  expect(await tie(firms)).toMatchObject({ created: 1, complete: true });
  const [personal, firm] = [...sandbox.store.accounts];
  expect([personal, firm]).toMatchObject([person, { name, account_type: "business", email: "billing@example.com" }]);
  expect([...sandbox.store.affiliations].map(({ account_id }) => account_id)).toEqual([firm?.id]);

  // The plan records which kind of account it means.
  const phone = [{ name, phone: "1" }];
  await plan(client.accounts, phone, options);
  sandbox.store.accounts.update(firm?.id ?? 0, { account_type: "personal" });
  expect(await apply(client, at("a.plan"))).toMatchObject({ stale: 1, updated: 0 });
  sandbox.store.accounts.delete(person.id);
  const persons = { ...options, to: at("p.plan"), set: { account_type: "Personal" } };
  const nobody = [...phone, { name: "Nobody", phone: "1" }];
  expect(await run(client.accounts, nobody, persons)).toMatchObject({ updated: 1, refused: 1, created: 0 });
  const kindOnly = run(client.accounts, phone, { ...options, key: "account_type" });
  await expect(kindOnly).rejects.toThrow("names account_type, which many records have in common");
});

test.each([
  ["name where account_typ=business", '"account_typ" is not a field of the record; did you mean "account_type"?'],
  ["name where account_type=firm", 'account_type: "firm" is not one of business, personal'],
  ["name where account_type", "is not a condition"],
])("find: %s is refused with the problem", async (find, message) => {
  const client = new MainClient(createSandbox({ empty: true, skipWaits: true }));
  const options = { to: testFolder()("a.plan"), key: ["user_id", "account_id"], find: { account_id: find } } as const;
  await expect(plan(client.affiliations, [{ user_id: 1, account_id: "A" }] as never, options)).rejects.toThrow(message);
});
