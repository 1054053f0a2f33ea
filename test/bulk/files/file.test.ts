import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { plan, readCsv, rowsOf, run, writeReport } from "../../../src/bulk/node.js";
import { MainClient } from "../../../src/index.js";
import { createSandbox } from "../../../src/sandbox/index.js";
import { failure } from "../../support/manual-clock.js";
import { testFolder } from "../support/folder.js";

const HEAD = "email,first_name,last_name";
const line = (at: number) => `student${at}@example.com,Name${at},Surname${at}`;
const csv = (rows: readonly string[]) => `${HEAD}\n${rows.join("\n")}${rows.length > 0 ? "\n" : ""}`;
const lines = (count: number, from = 1) => Array.from({ length: count }, (_, at) => line(from + at));

test.each([
  ["written anew", (path: string, all: string[]) => writeFileSync(path, csv([...all].reverse()))],
  ["added to", (path: string) => appendFileSync(path, `${line(7000)}\n`)],
])("a file that is %s while the service is read is refused, and no plan is made of it", async (_, change) => {
  const at = testFolder();
  const sandbox = createSandbox({ size: "small", skipWaits: true });
  // The file is longer than what a stream reads ahead. If all rows had been read before the change, they would be
  // planned with their old values.
  const all = lines(1_000).map((each) => each + "x".repeat(250));
  writeFileSync(at("a.csv"), csv(all));
  let isChanged = false;
  const fetch: typeof sandbox.fetch = (...given) => {
    if (!isChanged) change(at("a.csv"), all);
    isChanged = true;
    return sandbox.fetch(...given);
  };
  const client = new MainClient({ ...sandbox, fetch });
  const error = await failure(plan(client.users, readCsv(at("a.csv")), { to: at("a.plan"), key: "email" }));
  expect(error.message).toContain("was changed while it was being read. Nothing was planned");
  await expect(rowsOf(at("a.plan"))[Symbol.asyncIterator]().next()).rejects.toThrow("there is no such file");
});

test("an error at the end of a file is reported before any request", async () => {
  const at = testFolder();
  const sandbox = createSandbox({ size: "small", skipWaits: true });
  writeFileSync(at("a.csv"), Buffer.concat([Buffer.from(csv(lines(2_500))), Buffer.from([0x61, 0xff, 0x0a])]));
  const given = plan(new MainClient(sandbox).users, readCsv(at("a.csv")), { to: at("a.plan"), key: "email" });
  expect((await failure(given)).message).toContain("is not UTF-8 text: line 2502 has \u00ff in windows-1252");
  expect(sandbox.requests).toHaveLength(0);
});

test("a run stops if most rows are new although the last run's existed, or if it has no rows, unless that is allowed", async () => {
  const at = testFolder();
  const sandbox = createSandbox({ empty: true, skipWaits: true });
  const client = new MainClient(sandbox);
  const night = (rows: readonly string[], allow?: "mostly_new" | "no_rows") => {
    writeFileSync(at("a.csv"), csv(rows));
    return run(client.users, readCsv(at("a.csv")), {
      to: at("a.plan"),
      key: "email",
      ...(allow && { allow: [allow] }),
    });
  };
  // The first file has only new rows. A later file may also have only new rows if the last run had only new rows.
  expect(await night(lines(40))).toMatchObject({ created: 40 });
  expect(await night(lines(20, 41))).toMatchObject({ created: 20 });
  expect(await night(lines(60))).toMatchObject({ unchanged: 60 });
  for (const turn of [1, 2]) {
    const { message } = await failure(night(lines(40, 100 * turn)));
    expect(message).toMatch(
      /^Nothing was planned or sent: 40 of 40 rows would create .*in the last run 60 of 60 matched/,
    );
    expect((await failure(night([]))).message).toContain("there are no rows, but the last run had 60");
  }
  expect([...sandbox.store.users]).toHaveLength(60);
  // A file with a few new rows, as on any other night, is accepted.
  expect(await night(lines(70))).toMatchObject({ created: 10, unchanged: 60 });
  expect(await night([], "no_rows")).toMatchObject({ complete: true });
  expect(await night(lines(70))).toMatchObject({ unchanged: 70 });
  expect(await night(lines(12, 200), "mostly_new")).toMatchObject({ created: 12 });
});

test("a value for every row is read like a cell, and is refused if the file has a column for its field", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));
  writeFileSync(at("a.csv"), csv(lines(1)));
  const to = at("a.plan");
  const set = { wants_newsletter: "yes", label_ids: "[]", locale: "nl" };
  await plan(client.users, readCsv(at("a.csv")), { to, key: "email", set });
  for await (const { send } of rowsOf(to)) {
    expect(send).toMatchObject({ first_name: "Name1", wants_newsletter: true, label_ids: [], locale: "nl" });
  }
  const twice = plan(client.users, readCsv(at("a.csv")), { to, key: "email", set: { first_name: "Jo" } });
  expect((await failure(twice)).message).toContain("set names first_name, although the file has a column for it");
  const none = plan(client.users, [], { to, key: "email", set: { frist_name: "Jo" } as never });
  expect((await failure(none)).message).toContain('did you mean "first_name"?');
});

test("a country comes as its code, in any case; its name is refused with the code", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));
  const place = { address: "Street 1", postal_code: "1000 AA", city: "Utrecht" };
  const countries = ["NL", "nl", "Nederland", "Deutschland", "XX"];
  const head = Object.keys(place).map((name) => `address_attributes.${name}`);
  const rows = countries.map((country, row) => [`Place ${row}`, ...Object.values(place), country].join(","));
  writeFileSync(at("a.csv"), `name,${head.join(",")},address_attributes.country\n${rows.join("\n")}\n`);
  await plan(client.courseLocations, readCsv(at("a.csv")), { to: at("a.plan"), key: "name" });
  const found: unknown[] = [];
  for await (const { send, why } of rowsOf(at("a.plan"))) {
    found.push(why[0]?.message.split(":")[0] ?? (send.address_attributes as { country: string }).country);
  }
  const wrong = "is not a two-letter country code, such as";
  expect(found).toEqual(["NL", "NL", `${wrong} NL`, `${wrong} DE`, `${wrong} NL`]);
});

test.each([
  ["macintosh", { é: 0x8e, ñ: 0x96, ë: 0x91, ü: 0x9f }, "Ren\u00e9;Pe\u00f1a\rZo\u00eb;M\u00fcller\r"],
  ["cp850", { é: 0x82, ñ: 0xa4, ë: 0x89, ü: 0x81 }, "Ren\u00e9;Pe\u00f1a\nZo\u00eb;M\u00fcller\n"],
  ["windows-1252", { é: 0xe9, ñ: 0xf1, ë: 0xeb, ü: 0xfc }, "Ren\u00e9;Pe\u00f1a\nZo\u00eb;M\u00fcller\n"],
  ["windows-1250", { ł: 0xb3, ę: 0xea, ś: 0x9c, ż: 0xbf }, "Wa\u0142\u0119sa;\u017b\nJa\u015b;Ka\u017cek\n"],
] as const)(
  "the letters of a file show that it is %s, and reading it so gives its names",
  async (encoding, codes, names) => {
    const at = testFolder();
    const text = `first_name;last_name\n${names}`.replace("\u017b", "Z");
    const bytes = Array.from(text, (letter) => (codes as Record<string, number>)[letter] ?? letter.charCodeAt(0));
    writeFileSync(at("a.csv"), Uint8Array.from(bytes));
    const rows = async (options = {}) => {
      const all: string[] = [];
      for await (const row of readCsv(at("a.csv"), options)) all.push(Object.values(row).join(";"));
      return all;
    };
    expect((await failure(rows())).message).toContain(`pass the encoding ${encoding}`);
    expect(await rows({ encoding })).toEqual(
      text
        .trim()
        .split(/[\r\n]/)
        .slice(1),
    );
  },
);

test("files of pipes, without a header, and with a day and an hour in two columns are read", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));
  const rows = async () => {
    const all: unknown[] = [];
    for await (const { send, why } of rowsOf(at("a.plan"))) all.push(why[0]?.message ?? send);
    return all;
  };
  writeFileSync(at("a.dat"), "Pupils, of 2027\nSurname|E-Mail\nFox|ada@school.example\n");
  const columns = { email: "E-Mail", last_name: "Surname" } as const;
  const options = { to: at("a.plan"), key: "email", set: { first_name: "Ada" } } as const;
  const person = { email: "ada@school.example", first_name: "Ada", last_name: "Fox" };
  await plan(client.users, readCsv(at("a.dat")), { ...options, columns });
  expect(await rows()).toEqual([person]);
  writeFileSync(at("b.dat"), "Fox~ada@school.example\n\nFox~ada@school\n");
  const named = readCsv(at("b.dat"), { delimiter: "~", header: ["last_name", "email"] });
  await plan(client.users, named, options);
  expect(await rows()).toEqual([person, "must be an e-mail address"]);
  await writeReport(at("a.plan"), at("b.report.csv"));
  expect(readFileSync(at("b.report.csv"), "utf8")).toMatch(/^last_name~email~_row/);
  const bare = readCsv(at("b.dat"), { delimiter: "~" });
  expect((await failure(plan(client.users, bare, { ...options, columns: { email: "email" } }))).message).toContain(
    "If it has no header, pass header",
  );
  for (const wrong of [{ delimiter: "ab" }, { delimiter: '"' }, { header: [] }])
    expect(() => readCsv(at("b.dat"), wrong as never)).toThrow(/^readCsv: (delimiter|header) must be/);

  writeFileSync(at("c.csv"), "id,date,from,note\n1,18-10-2027,10:00,x\n2,,,y\n3,18-10-2027,,z\n");
  await plan(client.meetings, readCsv(at("c.csv")), {
    to: at("a.plan"),
    key: "id",
    columns: { start_date_time: "date+from" },
    formats: { dateTime: "dd-MM-yyyy HH:mm" },
  });
  expect(await rows()).toEqual([
    { start_date_time: "2027-10-18T08:00:00.000Z" },
    {},
    "is not a time written as dd-MM-yyyy HH:mm",
  ]);
});

test("other kinds of files are named", async () => {
  const at = testFolder();
  const kinds = {
    "{\\rtf1": "RTF",
    "BEGIN:VCARD": "vCards",
    "<table><tr>": "HTML table",
    '<?xml version="1.0"?>': "XML",
  };
  for (const [text, name] of Object.entries(kinds)) {
    writeFileSync(at("a.csv"), `${text}\n`);
    expect((await failure(readCsv(at("a.csv"))[Symbol.asyncIterator]().next())).message).toContain(name);
  }
});

test("a name that is nearly a label's is refused with the label, and with the signs that hide", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));
  await client.labels.create({ name: "Section 1a", model_type: "User" });
  const names = ["section 1A", "Section\u00a01a", "Section 1a\u200b", "Grey"];
  const rows = names.map((label_ids, row) => ({
    email: `p${row}@a.example`,
    first_name: "A",
    last_name: "B",
    label_ids,
  }));
  await plan(client.users, rows as never, { to: at("a.plan"), key: "email", find: { label_ids: "name" } });
  const why: unknown[] = [];
  for await (const row of rowsOf(at("a.plan"))) why.push(row.why[0]?.message.replace(/^.* name /, ""));
  expect(why).toEqual([
    'section 1A; did you mean "Section 1a"?',
    'Section<U+00A0>1a; did you mean "Section 1a"?',
    'Section 1a<U+200B>; did you mean "Section 1a"?',
    "Grey",
  ]);
});
