import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { apply, plan, run as runRows } from "../../src/bulk/node.js";
import { runCli } from "../../src/cli/main.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { text, textsOf, writeBook } from "../workbook/support/books.js";
import { testFolder } from "./support/folder.js";
import { people } from "./support/school.js";

async function serveSandbox() {
  const sandbox = createSandbox({ size: "small" });
  const { url, close } = await listen(sandbox, { port: 0 });
  onTestFinished(() => close());
  const run = async (...args: string[]) => {
    let text = "";
    const output = {
      write: (more: string) => {
        text += more;
      },
    };
    const env = { EDUCATION_ADMIN_BASE_URL: url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
    const status = await runCli(["bulk", ...args], { env, stdout: output, stderr: output });
    return { status, text };
  };
  return { at: testFolder(), sandbox, run, url };
}

test("plans, shows, applies and undoes from the command line", async () => {
  const { at, sandbox, run } = await serveSandbox();
  const name = sandbox.store.users.get(2)?.first_name;
  const email = sandbox.store.users.get(2)?.email;
  writeFileSync(
    at("students.csv"),
    `E-mail,Name,Last\n${email},Changed,${sandbox.store.users.get(2)?.last_name}\nnew@example.com,New,Person\n`,
  );
  const columns = ["--column", "email=E-mail", "--column", "first_name=Name", "--column", "last_name=Last"];
  const plan = at("students.plan");
  const planned = await run("plan", "users", at("students.csv"), "--key", "email", ...columns, "--to", plan);
  expect(planned.status).toBe(0);
  expect(planned.text).toContain("1 to create, 1 to change. Applying sends ");
  const [, digest = ""] = /--confirm ([0-9a-f]{8})/.exec(planned.text) ?? [];
  expect(sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);

  const shown = await run("show", plan, "--only", "update");
  expect(shown.text).toContain(`first_name: ${JSON.stringify(name)} -> "Changed"`);
  expect(shown.text).not.toContain("new@example.com");
  expect((await run("show", plan, "--csv")).text.split("\r\n")[0]).toBe("_row,_do,_outcome,_id,_changes,_reason");

  const unasked = await run("apply", plan);
  expect(unasked).toMatchObject({ status: 2 });
  expect(unasked.text).toContain("--confirm <digest>");
  expect(await run("apply", plan, "--confirm", "00000000")).toMatchObject({ status: 2 });
  expect(await run("apply", at("none.plan"), "--confirm", digest)).toMatchObject({ status: 2 });
  const applied = await run("apply", plan, "--confirm", digest);
  expect(applied).toMatchObject({ status: 0 });
  expect(applied.text).toContain("1 created, 1 updated. Nothing left to do.");
  expect(sandbox.store.users.get(2)?.first_name).toBe("Changed");

  const back = await run("undo", plan, "--to", at("back.plan"), "--delete-created");
  expect(back.text).toContain("1 to change, 1 refused. Applying sends ");
  expect(await run("apply", at("back.plan"), "--yes", "--confirm", digest)).toMatchObject({ status: 2 });
  // The service deletes no users, so the undo cannot restore every row.
  expect(await run("apply", at("back.plan"), "--yes")).toMatchObject({ status: 1 });
  expect(sandbox.store.users.get(2)?.first_name).toBe(name);

  const wrong: readonly string[][] = [
    [],
    ["plan"],
    ["plan", "users"],
    ["show"],
    ["undo", plan],
    ["plan", "nothing", at("students.csv"), "--key", "id", "--to", plan],
    ["plan", "users", at("students.csv"), "--key", "email", ...columns, "--to", at("none/a.plan")],
    ["plan", "users", at("students.csv"), "--key", "email", ...columns, "--to", at("students.csv")],
  ];
  const sent = sandbox.requests.length;
  for (const args of wrong) expect(await run(...args), args.join(" ")).toMatchObject({ status: 2 });
  expect(sandbox.requests).toHaveLength(sent);
  expect((await run("--help")).text).toContain("apply [options] <plan>");
});

test("every command that shows a summary groups refused rows by reason", async () => {
  const { at, sandbox, run } = await serveSandbox();
  const rows = Array.from({ length: 50 }, (_, nr) => `p${nr}@example.com;P;Fox;Street ${nr};1234;Utrecht`);
  writeFileSync(at("a.csv"), `email;first_name;last_name;Street;Code;Town\n${rows.join("\n")}\n`);
  const columns = ["address=Street", "postal_code=Code", "city=Town"].flatMap((one) => [
    "--column",
    `address_attributes.${one}`,
  ]);
  const names = ["first_name", "last_name"].flatMap((name) => ["--column", `${name}=${name}`]);
  const line = ["users", at("a.csv"), "--key", "email", "--to", at("a.plan"), ...columns, ...names];
  const reasons = "Refused:\n  50 rows: address_attributes.country is missing\n";
  expect(await run("plan", ...line, "--report", at("a.csv"))).toMatchObject({
    status: 2,
    text: expect.stringContaining("--report is the file of the rows; name another file"),
  });
  const planned = await run("plan", ...line, "--report", at("r.csv"));
  expect(planned).toMatchObject({
    status: 1,
    text: expect.stringContaining(`50 refused. Nothing to send.\n${reasons}`),
  });
  expect(readFileSync(at("r.csv"), "utf8").match(/;refused;;address_attributes.country is missing/g)).toHaveLength(50);
  expect((await run("show", at("a.plan"))).text).toContain(reasons);
  expect((await run("run", ...line)).text).toContain(`${reasons}Plan: `);
  // A program that has to confirm the plan gets the reasons and the report, too.
  writeFileSync(at("b.csv"), `email;first_name;last_name\nnew@example.com;New;Fox\nother@example.com;;Fox\n`);
  const other = ["users", at("b.csv"), "--key", "email", "--to", at("b.plan"), "--report", at("s.csv")];
  const { status, text } = await run("run", ...other);
  expect([status, text]).toEqual([
    2,
    expect.stringContaining("Refused:\n  1 row: first_name is missing\nTo apply it: "),
  ]);
  expect(readFileSync(at("s.csv"), "utf8")).toContain(";3;refused;;first_name is missing");
  expect(sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("an undo with nothing to take back says what stays, and why", async () => {
  const { at, sandbox, run } = await serveSandbox();
  const client = new MainClient(sandbox);
  await plan(client.users, [{ email: "new@example.com", first_name: "N", last_name: "P" }], {
    to: at("a.plan"),
    key: "email",
  });
  await apply(client, at("a.plan"));
  for (const words of [[], ["--delete-created"]]) {
    const { status, text } = await run("undo", at("a.plan"), ...words, "--to", at(`back-${words.length}.plan`));
    expect(status).toBe(0);
    expect(text).toBe("Nothing to undo: the service deletes no users (1 record stays).\n");
  }
});

test("after a run, its plan is found by the name that was given to it", async () => {
  const { at, sandbox, run } = await serveSandbox();
  const name = sandbox.store.users.get(2)?.first_name;
  const email = sandbox.store.users.get(2)?.email;
  const runs = (first: string) => {
    writeFileSync(at("a.csv"), `email,first_name\n${email},${first}\n`);
    return run("run", "users", at("a.csv"), "--key", "email", "--to", at("a.plan"), "--yes");
  };
  const [, one = ""] = /Plan: (.*)/.exec((await runs("Once")).text) ?? [];
  expect(one).toMatch(/a\.plan\.\d{4}-\d\d-\d\d\.[0-9a-f]{8}$/);
  utimesSync(one, 1, 1);

  const said = `${at("a.plan")} is kept as ${one}\n`;
  expect(await run("show", at("a.plan"))).toMatchObject({ status: 0, text: expect.stringContaining(said) });
  expect((await run("show", at("a.plan"))).text).toContain(`first_name: ${JSON.stringify(name)} -> "Once"`);
  expect(await run("show", at("a.plan"), "--html", at("a.html"))).toMatchObject({ status: 0 });
  expect(await run("report", at("a.plan"), "--to", at("r.csv"))).toMatchObject({ status: 0 });
  expect(readFileSync(at("r.csv"), "utf8")).toContain(",updated,");
  const back = await run("undo", at("a.plan"), "--to", at("back.plan"));
  expect(back.text).toContain(`${said}1 to change.`);
  // A command that writes reports the name of the kept plan but does not use that plan; the person has to pass its
  // name.
  const { status, text } = await run("apply", at("a.plan"), "--confirm", "00000000");
  expect([status, text]).toEqual([2, expect.stringContaining(`the last run of that name kept its plan as ${one}`)]);

  const [, two = ""] = /Plan: (.*)/.exec((await runs("Twice")).text) ?? [];
  expect((await run("show", at("a.plan"))).text).toContain(`${at("a.plan")} is kept as ${two}\n`);
  const several = await run("undo", at("a.plan"), "--to", at("back.plan"));
  expect([several.status, several.text]).toEqual([2, expect.stringContaining(`Name one of them: ${two}, ${one}`)]);
});

test("settle names the records of a create in doubt, and takes your word that there is none", async () => {
  const { at, sandbox, run, url } = await serveSandbox();
  expect((await run("settle", at("a.plan"))).text).toContain("must be the file of a run that has ended");
  // The service makes the second record under another key, and its response is lost.
  const lost: typeof fetch = async (input, init) => {
    if (init?.method !== "POST" || !String(init.body).includes("new-2@")) return fetch(input, init);
    await fetch(input, { ...init, body: String(init.body).replace("new-2@", "other@") });
    throw new TypeError("lost");
  };
  const client = new MainClient({ baseUrl: url, apiKey: sandbox.apiKey, fetch: lost, retry: { limit: 0 } });
  const options = { to: at("a.plan"), key: "email", settleMs: 1 } as const;
  for (const _ of [1, 2]) expect(await runRows(client.users, people(2), options)).toMatchObject({ unknown: 1 });
  const { id } = [...sandbox.store.users].find(({ email }) => email === "other@example.com") ?? {};
  const open = await run("settle", at("a.plan"));
  expect(open.status).toBe(1);
  // People whom the sandbox's school has made since yesterday may follow.
  expect(open.text.replace(`record ${id}`, "record N")).toMatch(
    /^row 2 of a\.plan\.\S+ is in doubt: record N(, \d+)* may be the one that it created\. If it has no record, pass --absent 2$/m,
  );
  const absent = await run("settle", at("a.plan"), "--absent", "2");
  expect(absent.status).toBe(0);
  expect(absent.text).toMatch(/^row 2 of \S+ created no record: the next run may create it$/m);
  expect(await run("settle", at("a.plan"))).toMatchObject({ status: 0, text: "No row is in doubt.\n" });
});

test("a resource may be spelt as in other commands, and a misspelled one is refused with the nearest name", async () => {
  const { at, sandbox, run } = await serveSandbox();
  writeFileSync(at("rows.csv"), "id\n1\n");
  const options = [at("rows.csv"), "--key", "id", "--to", at("a.plan")];
  for (const name of ["planned-courses", "plannedCourses"]) {
    expect(await run("plan", name, ...options)).toMatchObject({ status: 0 });
  }
  const sent = sandbox.requests.length;
  for (const [name, nearest] of [
    ["acounts", "accounts"],
    ["planedCourses", "planned-courses"],
  ] as const) {
    const { status, text } = await run("plan", name, ...options);
    expect(status).toBe(2);
    expect(text).toContain(`This API has no "${name}"; did you mean "${nearest}"?`);
  }
  expect((await run("plan", "constructor", ...options)).text).toContain('This API has no "constructor"');
  expect(sandbox.requests).toHaveLength(sent);
});

test("a cell cannot move the cursor or colour the terminal when a plan is shown", async () => {
  const { at, sandbox, run } = await serveSandbox();
  const wild = "\x1b[2J\u009b31m\u202eX";
  const client = new MainClient(sandbox);
  const rows = [
    { email: "a@example.com", first_name: wild, last_name: "B" },
    { email: "c@example.com", label_ids: wild },
  ];
  await plan(client.users, rows, { to: at("a.plan"), key: "email", find: { label_ids: "name" } });
  for (const format of [[], ["--csv"]]) {
    const { text } = await run("show", at("a.plan"), ...format);
    expect(text).toContain("31m");
    for (const character of ["\x1b", "\u009b", "\u202e"]) expect(text).not.toContain(character);
  }
});

test("the report never replaces the file of rows, and a row stays as it came", async () => {
  const { at, sandbox, run } = await serveSandbox();
  const source = "email,first_name,last_name\nnew@example.com,=1+1,Person\n";
  writeFileSync(at("rows.csv"), source);
  const common = ["run", "users", at("rows.csv"), "--key", "email", "--allow", "text_formula"].concat(
    "--to",
    at("a.plan"),
    "--yes",
    "--report",
  );
  const refused = await run(...common, at("rows.csv"));
  expect(refused).toMatchObject({ status: 2 });
  expect(refused.text).toContain("--report is the file of the rows; name another file");
  expect(sandbox.requests).toEqual([]);
  expect(readFileSync(at("rows.csv"), "utf8")).toBe(source);
  expect(await run(...common, at("a.csv"))).toMatchObject({ status: 0 });
  expect(readFileSync(at("a.csv"), "utf8")).toContain("new@example.com,=1+1,Person,2,created,");
  await run("report", at("a.plan"), "--to", at("b.csv"));
  expect(readFileSync(at("b.csv"), "utf8")).toBe(readFileSync(at("a.csv"), "utf8"));
});

test("the command knows a workbook by its bytes, names the sheets and what is hidden once, and writes the report as one", async () => {
  const { at, run } = await serveSandbox();
  const row = (cells: readonly string[], number: number) =>
    `<row r="${number}">${cells.map((cell, column) => text(`${"ABC"[column]}${number}`, cell)).join("")}</row>`;
  const rows = row(["email", "first_name", "last_name"], 1) + row(["new@example.com", "New", "Person"], 2);
  const before = '<cols><col min="3" max="3" hidden="1"/></cols>';
  writeBook(at("rows.csv"), {
    sheets: [
      { name: "people", rows, before },
      { name: "other", rows },
    ],
  });
  const line = ["run", "users", at("rows.csv"), "--key", "email", "--to", at("a.plan"), "--yes"];
  const unnamed = await run(...line);
  expect(unnamed).toMatchObject({
    status: 2,
    text: expect.stringContaining('has 2 sheets, "people", "other": name one of them'),
  });
  const wrong = await run(...line, "--sheet", "people", "--encoding", "utf-8");
  expect(wrong).toMatchObject({ status: 2, text: expect.stringContaining("--encoding and --delimiter are for CSV") });
  const done = await run(...line, "--sheet", "people", "--report", at("r.xlsx"));
  expect(done.status).toBe(0);
  expect(done.text.match(/the sheet people hides 1 column, and hidden cells are read too/g)).toHaveLength(1);
  expect(await textsOf(at("r.xlsx"))).toMatchObject([{ email: "new@example.com", _row: "2", _outcome: "created" }]);
  writeFileSync(at("b.xlsx"), "email,first_name,last_name\nnew@example.com,New,Person\n");
  const csv = ["plan", "users", at("b.xlsx"), "--key", "email", "--to", at("b.plan")];
  expect(await run(...csv)).toMatchObject({ status: 0 });
  const sheet = await run(...csv, "--sheet", "people");
  expect(sheet).toMatchObject({ status: 2, text: expect.stringContaining("--sheet is for workbooks") });
});

test("the command's options read files of other programs, and its messages name those options", async () => {
  const { at, sandbox, run } = await serveSandbox();
  const cells = ["id;Start;State", "1;01-07-2027 9:30;active", "2;01-07-2027 9:30;gone"];
  writeFileSync(at("m.csv"), Buffer.from(`Agenda\u00e9\r\n${cells.join("\r\n")}\r\n`, "latin1"));
  const columns = ["--key", "id", "--column", "start_date_time=Start", "--to", at("m.plan")];
  const reading = ["--encoding", "windows-1252", "--date-time", "dd-MM-yyyy H:mm", "--where", "State=active"];
  const planned = await run("plan", "meetings", at("m.csv"), ...columns, ...reading, "--set", "description=Moved");
  expect(planned).toMatchObject({ status: 0, text: expect.stringContaining("1 to change. Applying sends ") });
  const { text } = await run("show", at("m.plan"));
  expect(text).toContain('-> "2027-07-01T07:30:00.000Z"');
  expect(text).toContain('-> "Moved"');
  const bare = await run("plan", "meetings", at("m.csv"), ...columns);
  expect(bare).toMatchObject({ status: 2, text: expect.stringContaining("pass the encoding windows-1252") });
  writeFileSync(at("u.csv"), "email,first_name,last_name,wants_newsletter\nnew@example.com,#N/A,Person,ja\n");
  const user = ["plan", "users", at("u.csv"), "--key", "email", "--yes-no", "ja,nee", "--to", at("u.plan")];
  expect((await run(...user)).status).toBe(1);
  expect((await run("show", at("u.plan"))).text).toContain("allow spreadsheet_error");
  expect((await run(...user, "--allow", "spreadsheet_error")).status).toBe(0);
  const wrong = await run(...user, "--allow", "errors");
  expect(wrong).toMatchObject({
    status: 2,
    text: expect.stringContaining("--allow may list only spreadsheet_error"),
  });
  expect(sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);
});
