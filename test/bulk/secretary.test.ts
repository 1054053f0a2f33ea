import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { plan, readCsv, rowsOf } from "../../src/bulk/node.js";
import { office } from "./support/command.js";
import { testFolder } from "./support/folder.js";
import { school } from "./support/school.js";

test("the file of a school's secretary is imported using options only, and the report has its own columns", async () => {
  const { at, sandbox, type } = await office();
  const labels = [...sandbox.store.labels].filter(({ model_type }) => model_type === "User").map(({ name }) => name);
  const [one = "", two = ""] = labels;
  const head = "Naam;Achternaam;E-mail;Geboren;Etiketten;Opmerking;;";
  const lines = [
    `Jo;de Vos;jo@example.com;07-03-2001;${one}/${two};"let op; ""belt"" zelf";;`,
    "Bo;Vos;bo@example.com;31-12-1999;;;;",
    "Bo;Vos;BO@example.com;31-12-1999;;;;",
    "Cy;Vos;geen adres;30-02-2000;;;;",
    "Di;Vos;di@example.com;01-01-2000;Geen etiket;;;",
    'Ed;"Vos;ed@example.com;01-01-2000;;;;',
    "Bo;Anders;bo@example.com;31-12-1999;;;;",
    ";;;;;;;",
    "",
  ];
  writeFileSync(at("leerlingen.csv"), `\uFEFF${[head, ...lines].join("\r\n")}\r\n`);
  const columns = { email: "E-mail", first_name: "Naam", last_name: "Achternaam", label_ids: "Etiketten" };
  const options = Object.entries(columns).flatMap(([field, name]) => ["--column", `${field}=${name}`]);
  const line = [
    ...["users", at("leerlingen.csv"), "--key", "email", "--to", at("a.plan"), ...options],
    ...["--date", "dd-MM-yyyy", "--list-separator", "/", "--find", "label_ids=name", "--duplicates", "first"],
  ];
  const planned = await type("plan", ...line, "--report", at("planned.csv"));
  expect(readFileSync(at("planned.csv"), "utf8")).toContain("2000;;;;;5;refused;;");
  expect(planned.text).toContain("2 to create, 1 stays as it is, 4 refused. Applying sends ");
  const unasked = await type("run", ...line);
  expect(unasked).toMatchObject({ status: 2, text: expect.stringContaining("bulk run needs --yes or --confirm ") });
  expect(sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);

  const done = await type("run", ...line, "--yes", "--report", at("result.csv"));
  expect(done.status).toBe(1);
  expect(done.text).toContain(
    "4 refused. Correct the refused rows, then plan the rows again. To see them: npx education-admin-sdk bulk show ",
  );
  const [, kept = ""] = /^Plan: (.*)$/m.exec(done.text) ?? [];
  expect(await type("report", kept, "--to", at("again.csv"))).toMatchObject({ status: 0 });
  const report = readFileSync(at("result.csv"), "utf8");
  expect(readFileSync(at("again.csv"), "utf8")).toBe(report);
  const id = (email: string) => sandbox.store.users.find((user) => user.email === email)?.id;
  expect(report.split("\r\n")).toEqual([
    `\uFEFF${head};_row;_outcome;_id;_reason`,
    `${lines[0]};2;created;${id("jo@example.com")};`,
    `${lines[1]};3;created;${id("bo@example.com")};`,
    `${lines[2]};4;unchanged;;row 3 has the same values`,
    expect.stringMatching(/^Cy;Vos;geen adres;30-02-2000;;;;;5;refused;;"?E-mail /),
    expect.stringMatching(/^Di;.*;6;refused;;"?Etiketten cannot be found/),
    'Ed;"""Vos";ed@example.com;01-01-2000;;;;;7;refused;;line 7 has a quote that is not closed',
    `${lines[6]};8;refused;;row 3 has the same key and other values`,
    "",
  ]);
  const made = sandbox.store.users.find(({ email }) => email === "jo@example.com");
  expect(made).toMatchObject({ first_name: "Jo", last_name: "de Vos" });
  expect(made?.label_ids).toHaveLength(2);
});

test("dates are read as the options say, and a cell that is not a date refuses its row", async () => {
  const { at, sandbox, type } = await office();
  const [one, two] = [...sandbox.store.enrollments].map(({ id }) => id);
  writeFileSync(at("rows.csv"), `Nummer;Einddatum\n${one};07-03-2031\n${two};30-02-2031\n`);
  const columns = ["--column", "id=Nummer", "--column", "end_date=Einddatum"];
  const line = ["enrollments", at("rows.csv"), "--key", "id", ...columns, "--to", at("a.plan")];
  const { text } = await type("run", ...line, "--date", "dd-MM-yyyy", "--yes");
  expect(text).toContain("1 updated, 1 refused.");
  expect(sandbox.store.enrollments.get(one ?? 0)?.end_date).toContain("2031-03-07");
  const [, kept = ""] = /^Plan: (.*)$/m.exec(text) ?? [];
  expect((await type("show", kept, "--only", "refused")).text).toContain(
    "Einddatum is not a date written as dd-MM-yyyy",
  );
});

test("amounts and lists are read as the options say, and functions read the cells of a column", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  writeFileSync(at("rows.csv"), "Nr;Naam;Prijs\n1;Een;1.234,50\n2;Twee;12,75\n3;Drie;12.5\n4;  ;7,01\n5;boem;7\n");
  await plan(client.courses, readCsv(at("rows.csv")), {
    to: at("a.plan"),
    key: "id",
    columns: {
      id: "Nr",
      name: {
        from: "Naam",
        read(text) {
          if (text === "boem") throw new Error("no such course");
          return text.toUpperCase();
        },
      },
      cost: "Prijs",
    },
    formats: { decimal: "," },
  });
  const rows: unknown[] = [];
  for await (const { row, send, why } of rowsOf(at("a.plan"))) rows.push([row, send.name, send.cost, why[0]?.message]);
  expect(rows).toEqual([
    [2, "EEN", "1234.50", undefined],
    [3, "TWEE", "12.75", undefined],
    [4, undefined, undefined, "is not a number with a decimal comma, such as 1200,50 or 1.200,50"],
    [5, undefined, "7.01", undefined],
    [6, undefined, undefined, "cannot be read: no such course"],
  ]);
  expect(sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("the command's messages refer to its own options", async () => {
  const { at, type } = await office();
  writeFileSync(at("rows.csv"), "E-mail,First name\na@example.com,A\n");
  const to = ["--to", at("a.plan")];
  const cases: readonly (readonly [readonly string[], string])[] = [
    [["--key", "e-mail"], '--key names "e-mail", which is not a field of users'],
    [["--key", "email"], 'the column "E-mail" is not a field of users'],
    [["--key", "email", "--column", "email=Mail"], '--column email names the column "Mail", which is not in the file'],
    [["--key", "email", "--find", "label_id=name"], '--find names "label_id"'],
    [["--key", "email", "--date", "dag-maand"], "--date must have dd, MM and yyyy"],
  ];
  for (const [options, message] of cases) {
    const { status, text } = await type("plan", "users", at("rows.csv"), ...options, ...to);
    expect([status, text]).toEqual([2, expect.stringContaining(message)]);
    expect(text).not.toContain("columns");
    expect(text).not.toContain("row 2");
  }
});
