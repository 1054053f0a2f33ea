import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { apply, plan, type RowProblem, readCsv, rowsOf, run, undo } from "../../src/bulk/node.js";
import { testFolder } from "./support/folder.js";
import { people, school } from "./support/school.js";

test("refused rows are counted by reason, the most frequent first, without any row's own values", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const known = String(sandbox.store.users.get(2)?.email);
  // No value resembles a word in the library's messages.
  const line = (mail: string, name: string, country: string, label: string) =>
    `${mail};${name};Zz-${name};${country};${label}`;
  const lines = [
    "E-mail;First;Last;Country;Labels",
    line("zz1@example.com", "Zza", "Zzland", ""),
    line("zz2@example.com", "Zzb", "Nederland", ""),
    line("zz3@example.com", "Zzc", "Zzstan", "Zzlabel"),
    line("zz4@example.com", "Zzd", "", "Zzother"),
    line("zz5@example.com", "#ZZNAME!", "", ""),
    line("zz6@example.com", "Zzf", "", ""),
    line("zz6@example.com", "Zzg", "", ""),
    line(`'${known.toUpperCase()}`, "Zzh", "", ""),
    line("zz7@\u200Bexample.com", "Zzi", "", ""),
    "zz8@example.com;Zzj;Zz;;;;zzmore",
    line("", "Zzk", "", ""),
    line("zz9@example.com", "Zzthrown", "", ""),
    line("zz10@example.com", "Zzthrown", "", ""),
  ];
  writeFileSync(at("a.csv"), `${lines.join("\n")}\n`);
  const read = (text: string) => {
    if (text === "Zzthrown") throw new Error(`no such name: ${text}`);
    return text;
  };
  const options = {
    key: "email",
    columns: {
      email: "E-mail",
      first_name: { from: "First", read },
      last_name: "Last",
      "address_attributes.country": "Country",
      label_ids: "Labels",
    },
    find: { label_ids: "name" },
  } as const;
  const { reasons, refuse } = await plan(client.users, readCsv(at("a.csv")), { ...options, to: at("a.plan") } as never);
  expect(refuse).toBe(lines.length - 1);
  expect(reasons.map(({ count, column, message }) => `${count} ${column}: ${message.replace(/[;.] .*/, "")}`)).toEqual([
    "2 Country: is not a two-letter country code, such as NL: map it to its code in the `words` format",
    "2 Labels: cannot be found: none of the labels has the name …",
    "2 undefined: row … has the same key",
    "2 First: cannot be read: …",
    "1 Country: is not a two-letter country code, such as NL: map it to its code in the `words` format",
    "1 First: is a spreadsheet error, …",
    "1 undefined: record … has the key …, the row …",
    "1 undefined: the key … contains the invisible character <U+200B>",
    "1 undefined: line … has more cells than the header",
    "1 E-mail: is empty, so the row has no key",
  ]);
  expect(JSON.stringify(reasons)).not.toMatch(/zz/i);
  expect(JSON.stringify(reasons).toLowerCase()).not.toContain(known.toLowerCase());
  // The plan keeps only full sentences, not the reasons without values.
  const whys: RowProblem[] = [];
  for await (const { why } of rowsOf(at("a.plan"))) whys.push(...why);
  expect(whys.map(({ message }) => message)).toContain("cannot be found: none of the labels has the name Zzlabel");
  expect(whys.filter((why) => "reason" in why)).toEqual([]);
});

test("a row with the same problem twice counts once, and an undo counts its reasons too", async () => {
  const at = testFolder();
  const { client } = school();
  const rows = people(2).map((row) => ({ ...row, label_ids: "No;Nor" }));
  const found = await plan(client.users, rows as never, {
    to: at("a.plan"),
    key: "email",
    find: { label_ids: "name" },
  });
  const message = "cannot be found: none of the labels has the name …";
  expect(found.reasons).toEqual([{ message, column: "label_ids", count: 2 }]);
  const wrong = people(2).map((row) => ({ ...row, label_ids: [0.5, 1.5] }));
  const twice = await plan(client.users, wrong, { to: at("a.plan"), key: "email" });
  expect(twice.reasons).toEqual([{ message: expect.any(String), column: "label_ids", count: 2 }]);
  const labels = people(2).map(({ email }) => ({ name: email, model_type: "Lead" as const }));
  expect((await plan(client.labels, labels, { to: at("b.plan"), key: "name" })).reasons).toEqual([]);
  await apply(client, at("b.plan"));
  await undo(at("b.plan"), { to: at("c.plan"), creates: "delete" });
  await apply(client, at("c.plan"));
  const { reasons } = await undo(at("c.plan"), { to: at("d.plan") });
  expect(reasons).toEqual([{ message: "cannot be undone: deletions are permanent", count: 2 }]);
});

test("the report exists before the confirmation, and is replaced after the plan has been carried out", async () => {
  const at = testFolder();
  const { client } = school();
  const rows = [...people(1), { email: "none@example.com", last_name: "Fox" }];
  const outcomesNow = () =>
    readFileSync(at("r.csv"), "utf8")
      .split("\r\n")
      .map((line) => line.split(",")[4]);
  const seen: unknown[] = [];
  const report = await run(client.users, rows as never, {
    to: at("a.plan"),
    key: "email",
    report: at("r.csv"),
    confirm: ({ reasons }) => {
      seen.push(outcomesNow(), reasons);
      return true;
    },
  });
  expect(report).toMatchObject({ created: 1, refused: 1 });
  const reasons = [{ message: "is missing", column: "first_name", count: 1 }];
  expect(seen).toEqual([["_outcome", "", "refused", undefined], reasons]);
  expect(outcomesNow()).toEqual(["_outcome", "created", "refused", undefined]);
});
