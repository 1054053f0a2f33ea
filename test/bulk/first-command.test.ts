import { readFileSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { expect, test, vi } from "vitest";
import { text, writeBook } from "../workbook/support/books.js";
import { office, proposedIn, type } from "./support/command.js";
import { testFolder } from "./support/folder.js";

const GUIDE = new URL("../../docs/guides/", import.meta.url);

test("31 rows of a secretary take two commands beside the five cells that the first one names, as the guide says", async () => {
  const { at, sandbox, type: typeThere, wordsOf } = await office();
  const guide = readFileSync(new URL("school-file.md", GUIDE), "utf8");
  const file = at("leerlingen.csv");
  writeFileSync(file, readFileSync(new URL("leerlingen.csv", GUIDE)));
  const connect = vi.spyOn(Socket.prototype, "connect");
  const checked = await type(["check", "users", file]);
  expect(connect).not.toHaveBeenCalled();
  expect(checked, checked.text).toMatchObject({ status: 1 });
  const [, output = ""] = /```\w*\n(26 of 31 .*?)```/s.exec(guide) ?? [];
  expect(checked.text.replaceAll(`${at("")}/`, "")).toBe(`${output}5 rows refused\n`);

  const refused = [...output.matchAll(/^ {2}row (\d+): /gm)].map(([, row]) => Number(row));
  const [, words = ""] = /Correct these five cells in the file: (.*?)\. Then/s.exec(guide) ?? [];
  const corrections = [...words.matchAll(/`([^`]+)` in\s+row (\d+)/g)].map(
    ([, cell = "", row]) => [Number(row), cell] as const,
  );
  expect(corrections.map(([row]) => row)).toEqual(refused);
  const lines = new TextDecoder("windows-1252").decode(readFileSync(file)).split("\r\n");
  const WRONG = /noor,visser@example.com|^(?=;)|Nederlnad|misschien|######/;
  for (const [row, cell] of corrections) lines[row - 1] = (lines[row - 1] ?? "").replace(WRONG, cell);
  // The corrected file keeps its encoding.
  writeFileSync(file, Buffer.from(lines.join("\r\n"), "latin1"));
  const done = await typeThere(...wordsOf(proposedIn(checked.text)), "--yes");
  expect(done).toMatchObject({ status: 0, text: expect.stringContaining("30 created, 1 unchanged.") });

  const people = lines.slice(3, -1).map((line) => line.split(";"));
  const meaning: Readonly<Record<string, unknown>> = { ja: true, nee: false, "n.v.t.": null };
  const codes: Readonly<Record<string, string>> = {
    Nederlands: "nl",
    Engels: "en",
    Duits: "de",
    Nederland: "NL",
    Duitsland: "DE",
    België: "BE",
  };
  for (const [
    email = "",
    first_name,
    middle = "",
    last_name,
    locale = "",
    news = "",
    address,
    postal_code,
    city,
    country = "",
  ] of people) {
    const found = [...sandbox.store.users].filter((user) => user.email === email);
    expect(found, email).toMatchObject([
      {
        first_name,
        middle_name: middle in meaning ? meaning[middle] : middle,
        last_name,
        locale: codes[locale],
        wants_newsletter: meaning[news],
        address: { address, postal_code, city, country: codes[country] },
      },
    ]);
  }
});

test("a first plan names the option in the reason of each row, and proposes one command that /bin/sh reads as it is meant", async () => {
  const { at, sandbox, type: typeThere, wordsOf } = await office();
  const [label = ""] = [...sandbox.store.labels]
    .filter(({ model_type }) => model_type === "User")
    .map(({ name }) => name);
  const file = at("l'école $(touch x) `id`.csv");
  const head = ["Adresse e-mail", "Prénom", "Nom", "Infolettre", "Étiquettes", "Pays", `Remarque "l'an" $HOME`];
  const row = ["jo@example.com", "Zoé", "D'Arc", "oui", label, "Pays-Bas", "x"];
  writeFileSync(
    file,
    [head, row].map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")).join("\n"),
  );
  const columns = [
    "email=Adresse e-mail",
    "first_name=Prénom",
    "last_name=Nom",
    "wants_newsletter=Infolettre",
    "label_ids=Étiquettes",
  ];
  const line = ["plan", "users", file, "--key", "email", "--to", at("a.plan"), "--set", "locale=nl"];
  const first = await typeThere(...line);
  expect(first).toMatchObject({ status: 2, text: expect.stringContaining('"Adresse e-mail" is not a field of users') });
  const words = wordsOf(proposedIn(first.text));
  expect(words.slice(0, 3)).toEqual(["plan", "users", file]);
  for (const column of columns) expect(words).toContain(column);
  expect(words).toEqual(
    expect.arrayContaining(["--set", "locale=nl", "--yes-no", "oui,non", "--find", "label_ids=name"]),
  );
  expect(await typeThere(...words)).toMatchObject({ status: 0, text: expect.stringContaining("1 to create.") });

  const named = await typeThere(...line, ...columns.flatMap((column) => ["--column", column]));
  expect(named.text).toContain("Infolettre is neither true nor false; pass --yes-no oui,non");
  expect(named.text).toContain("Étiquettes is not a whole number, such as 12; pass --find label_ids=name");
  expect(wordsOf(proposedIn(named.text))).toEqual(expect.arrayContaining(["--yes-no", "oui,non"]));
});

test.each([
  ["enrollments", "id;Einddatum\n1;31-12-2031\n2;07-03-2031\n", ["--date", "dd-MM-yyyy"]],
  ["enrollments", "id;Einddatum\n1;31/12/2031\n2;7/3/2031\n", ["--date", "d/M/yyyy"]],
  ["enrollments", "id;Enddatum\n1;12. März 2031\n2;7. Mai 2031\n", ["--date", "d. MMMM yyyy"]],
  // Day and month could be in either order.
  ["enrollments", "id;Einddatum\n1;03/04/2031\n2;07/03/2031\n", []],
  ["courses", "id;Naam;Prijs\n1;Een;1.234,50\n2;Twee;12,75\n", ["--decimal", ","]],
  // The sign could separate thousands.
  ["courses", "id;Naam;Prijs\n1;Een;1.234\n2;Twee;2,500\n", []],
  ["courses", "id:Naam:Prijs\n1:Een:12.50\n2:Twee:7\n", ["--delimiter", ":"]],
  [
    "meetings",
    "id,start_date_time,Notiz\n1,31.12.2031 09:30,\n2,07.03.2031 10:00,\n",
    ["--date-time", "dd.MM.yyyy HH:mm"],
  ],
] as const)("%s of %j need %j", async (resource, text, options) => {
  const { at, wordsOf } = await office();
  writeFileSync(at("rows.csv"), text);
  const { text: output } = await type(["check", resource, at("rows.csv"), "--key", "id"]);
  const words = wordsOf(proposedIn(output));
  const known = ["--column", "--key", "--to"];
  const added = words
    .slice(3)
    .filter((word, index, all) => !known.includes(word) && !known.includes(all[index - 1] ?? ""));
  expect(added, output).toEqual(options);
});

test("a file without a header gets names for its columns, and known ones by what they hold", async () => {
  const { at, wordsOf } = await office();
  writeFileSync(at("rows.csv"), "jo@example.com;Jo;Vos\nbo@example.com;Bo;Bos\n");
  const { text } = await type(["check", "users", at("rows.csv")]);
  expect(wordsOf(proposedIn(text))).toEqual(
    expect.arrayContaining(["--header", "column-1,column-2,column-3", "--column", "email=column-1"]),
  );
});

test("options of the command are kept, and a file that is whole needs none", async () => {
  const { at, type: typeThere, wordsOf } = await office();
  writeFileSync(at("rows.csv"), "mail|naam|achter\njo@example.com|NULL|Vos\nbo@example.com|Bo|n.v.t.\n");
  const columns = ["--column", "email=mail", "--column", "first_name=naam", "--column", "last_name=achter"];
  const line = ["plan", "users", at("rows.csv"), "--key", "email", "--to", at("a.plan"), ...columns];
  const { text } = await typeThere(...line, "--no-update", "--empty", "-", "--allow", "exponent,country");
  const words = wordsOf(proposedIn(text));
  expect(words).toEqual(
    expect.arrayContaining(["--no-update", "--empty=-,NULL,n.v.t.", "--allow", "exponent,country"]),
  );
  writeFileSync(at("whole.csv"), "email,first_name,last_name\njo@example.com,Jo,Vos\n");
  const whole = await type(["check", "users", at("whole.csv")]);
  expect(whole.status).toBe(0);
  expect(wordsOf(proposedIn(whole.text)).slice(3)).toEqual(["--to", at("whole.plan"), "--key", "email"]);
});

test("bulk check proposes the columns and the key of a workbook by its header, below a title", async () => {
  const { at, sandbox, type: typeThere, wordsOf } = await office();
  const file = at("own.xlsx");
  const names = ["E-mail", "Voornaam", "Achternaam", "Telefoon"].map((name, column) =>
    text(`${`ABCD`[column]}2`, name),
  );
  const cells = ["jo@example.com", "Jo", "Fox"].map((cell, column) => text(`${`ABCD`[column]}3`, cell));
  writeBook(file, {
    sheets: [
      {
        rows: `<row r="1">${text("A1", "Leerlingen")}</row><row r="2">${names.join("")}</row><row r="3">${cells.join("")}<c r="D3"><v>612345609</v></c></row>`,
      },
    ],
  });
  const checked = await type(["check", "users", file]);
  expect(proposedIn(checked.text)).toContain(
    "--key email --column email=E-mail --column first_name=Voornaam --column last_name=Achternaam",
  );
  const done = await typeThere(...wordsOf(proposedIn(checked.text)), "--yes");
  expect(done).toMatchObject({ status: 0, text: expect.stringContaining("1 created") });
  expect([...sandbox.store.users].find(({ email }) => email === "jo@example.com")).toMatchObject({ last_name: "Fox" });
});

test.each([
  ["E-mail;Name\na@example.com;Jo;extra\n", [], 1, "  row 2: line 2 has more cells than the header"],
  ["Kleur,Maat\nrood,9\n", [], 2, "bulk check: no column of"],
  ["email,kleur\na@example.com,rood\n", ["--column", "city=stad"], 2, 'bulk check: --column names "city"'],
  [
    `email,${Array.from({ length: 20_000 }, (_, at) => `c${at}`)}\n`,
    [],
    2,
    "has 20001 columns, but a spreadsheet has at most 16384",
  ],
  [
    `email,${Array.from({ length: 100 }, (_, at) => `c${at}`)}\n`,
    ["--column", "last_name=x"],
    2,
    "c17, c18 and 81 more",
  ],
])("bulk check refuses a file that it cannot read, %#", async (content, options, status, says) => {
  const at = testFolder();
  writeFileSync(at("a.csv"), content);
  expect(await type(["check", "users", at("a.csv"), ...options])).toMatchObject({
    status,
    text: expect.stringContaining(says),
  });
});

test("bulk run names the plan of an earlier run that it continues, and the command for the report after bulk apply", async () => {
  const { at, sandbox, type: typeThere } = await office();
  const line = (person: number) => `n${person}@example.com,A,B\n`;
  writeFileSync(at("a.csv"), `email,first_name,last_name\n${line(1)}${line(2)}`);
  const words = ["run", "users", at("a.csv"), "--key", "email", "--to", at("a.plan"), "--report", at("r.csv")];
  const asked = await typeThere(...words);
  expect(asked.text).toContain(`bulk report ${at("a.plan")} --to ${at("r.csv")}`);
  expect(asked.text).not.toContain("Continues");
  sandbox.faults.next({ operation: "users.create", status: 401, times: 9 });
  const stopped = await typeThere(...words, "--yes");
  expect(stopped.status, stopped.text).not.toBe(0);
  sandbox.faults.clear?.();
  const done = await typeThere(...words, "--set", "middle_name=van", "--yes");
  expect(done.text).toContain(`Continues ${at("a.plan")}, which an earlier run began`);
});
