import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { apply, plan, readCsv, rowsOf, undo, writeReport } from "../../src/bulk/node.js";
import { type InputError, MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";

function planFile(csv: string | Buffer) {
  const at = testFolder();
  const sandbox = createSandbox({ size: "small", skipWaits: true });
  writeFileSync(at("rows.csv"), csv);
  return { at, sandbox, client: new MainClient(sandbox), rows: () => readCsv(at("rows.csv")) };
}

async function whys(path: string): Promise<Record<number, string>> {
  const all: Record<number, string> = {};
  for await (const { row, why } of rowsOf(path)) {
    if (why.length > 0)
      all[row] = why.map(({ column, message }) => [column, message].filter(Boolean).join(" ")).join("; ");
  }
  return all;
}

describe("a file that is no CSV", () => {
  const FILES: readonly (readonly [string, string | Buffer, string])[] = [
    ["nothing", "", "is empty; the first row must name the columns"],
    [
      "a header with a quote that does not end",
      '"email,first_name\na@b.nl,A\n',
      "cannot be read: line 1, the header, has a quote that is not closed",
    ],
    [
      "a header with a quote within a cell",
      'ema"il,first_name\na,c\n',
      "cannot be read: line 1, the header, has a quote inside a cell that does not begin with one",
    ],
    [
      "other than UTF-8",
      Buffer.from("email,first_name\na@b.nl,\xe9\n", "latin1"),
      "is not UTF-8 text: line 2 has é in windows-1252; save it as CSV UTF-8, or pass the encoding windows-1252",
    ],
    ["two columns of one name", "email,email\na,b\n", 'has two columns named "email"'],
  ];
  test.each(FILES)("%s is refused with its line, and no value", async (_, csv, message) => {
    const { at, sandbox, client, rows } = planFile(csv);
    const error = await failure<InputError>(plan(client.users, rows(), { to: at("a.plan"), key: "email" }));
    expect(error.message).toBe(`readCsv: ${at("rows.csv")} ${message}.`);
    expect(sandbox.requests).toHaveLength(0);
    expect(String((await failure(apply(client, at("a.plan")))).message)).toContain("there is no such file");
  });

  test("one that does not exist is refused", async () => {
    const { at, client } = planFile("");
    const error = await failure(plan(client.users, readCsv(at("none.csv")), { to: at("a.plan"), key: "email" }));
    expect(error.message).toBe(`readCsv: ${at("none.csv")} does not exist.`);
  });
});

test("a row with fewer or more cells than the header is refused with its line, and the others are planned", async () => {
  const lines = [
    "email;first_name;last_name",
    "a@b.nl;A;B",
    'b@b.nl;"two\nlines"',
    'c@b.nl;"C;""C""";D;E;',
    "",
    "d@b.nl; Dora\t;  de Wit ",
    // Without the check, this line would count as a second row with the key of the first row.
    "a@b.nl",
  ];
  const { at, client, rows } = planFile(lines.join("\n"));
  const summary = await plan(client.users, rows(), { to: at("a.plan"), key: "email" });
  expect(summary).toMatchObject({ create: 2, refuse: 3 });
  expect(await whys(at("a.plan"))).toEqual({
    3: "line 3 has fewer cells than the header",
    4: "line 5 has more cells than the header",
    7: "line 8 has fewer cells than the header",
  });
  await writeReport(at("a.plan"), at("a.csv"));
  expect(readFileSync(at("a.csv"), "utf8").split("\r\n").slice(1)).toEqual([
    "a@b.nl;A;B;2;;;",
    'b@b.nl;"two\nlines";;3;refused;;line 3 has fewer cells than the header',
    'c@b.nl;"C;""C""";D;4;refused;;line 5 has more cells than the header',
    "d@b.nl; Dora\t;  de Wit ;6;;;",
    "a@b.nl;;;7;refused;;line 8 has fewer cells than the header",
    "",
  ]);
  const sent: unknown[] = [];
  for await (const { send } of rowsOf(at("a.plan"))) sent.push(send.last_name);
  expect(sent).toEqual(["B", undefined, undefined, "de Wit", undefined]);
});

test("a row with fewer cells ends a loop of the caller, who would not see that cells are missing", async () => {
  const { at } = planFile("email,first_name\na@b.nl, A \nb@b.nl\n");
  const read: unknown[] = [];
  const loop = async () => {
    for await (const row of readCsv(at("rows.csv"))) read.push(row);
  };
  expect((await failure(loop())).message).toBe(
    `readCsv: ${at("rows.csv")} cannot be read: line 3 has fewer cells than the header.`,
  );
  expect(read).toEqual([{ email: "a@b.nl", first_name: "A" }]);
});

// In a large school, each of a few rows is looked up by its key; in a small one, the whole list is read.
test.each(["small", 1000] as const)(
  "a key that is no e-mail address refuses its row alone, school %s",
  async (size) => {
    const at = testFolder();
    const client = new MainClient(createSandbox({ size, skipWaits: true }));
    const domains = ["jo@-a.example", "jo@a-.example", "jo@a.example-", "jo@a..example", "jo@.a", "jo@a.example."];
    const parts = ["mailto:jo@a.example", "<jo@a.example>", "jo@a.example,", "jo@a,b", "jo@a.example;", '"jo"@a.nl'];
    const none = ["jo", 7, "jan@localhost", "jo@a(b).example", "jo@a@b", ...domains, ...parts];
    const some = ["jo@example.com", "o'brien+x@school.example", "jö@bücher.example", "j..o.@a--b.nl"];
    const rows = ["jo", ...some, ...none.slice(1)].map((email) => ({ email, first_name: "Jo", last_name: "Fox" }));
    const summary = await plan(client.users, rows as never, { to: at("a.plan"), key: "email" });
    expect(summary).toMatchObject({ create: some.length, refuse: none.length });
    const refused = await whys(at("a.plan"));
    expect([refused[1], refused[some.length + 4]]).toEqual(Array(2).fill("email must be an e-mail address"));
  },
);

test("records of the service whose keys are no e-mail addresses do not end a plan", async () => {
  const at = testFolder();
  const sandbox = createSandbox({ size: 3000, skipWaits: true });
  for (const id of [1, 99, 100]) sandbox.store.users.update(id, { email: `unknown ${id}` });
  const client = new MainClient(sandbox);
  const rows = [{ email: "new@example.com", first_name: "A", last_name: "B" }];
  const summary = await plan(client.users, rows, { to: at("a.plan"), key: "email" });
  expect(summary).toMatchObject({ create: 1 });
  // The row was looked up by its key; the 30 pages of the list were not read.
  expect(summary.read).toBeLessThan(10);
});

describe("columns", () => {
  test("that are not fields are refused with the nearest name", async () => {
    const { at, client, rows } = planFile("email,frist_name\na@b.nl,A\n");
    const error = await failure<InputError>(plan(client.users, rows(), { to: at("a.plan"), key: "email" }));
    expect(error.message).toContain('the column "frist_name" is not a field of users; did you mean "first_name"?');
  });

  test.each(["__proto__", "constructor", "toString"])(
    "that are properties of every object but not fields are refused: %s",
    async (name) => {
      const { at, client, rows } = planFile(`email,${name}\na@b.nl,A\n`);
      const objects = [JSON.parse(`{ "email": "a@b.nl", "${name}": "A" }`)];
      for (const some of [rows(), objects]) {
        const error = await failure<InputError>(plan(client.users, some, { to: at("a.plan"), key: "email" }));
        expect(error.message).toContain(`the column "${name}" is not a field of users`);
      }
    },
  );

  test("whose names differ from their field are refused with the option that maps them", async () => {
    const mapped: readonly [string, string][] = [
      ["E-mail", '{ email: "E-mail" }'],
      ["address_attributes.citi", '{ "address_attributes.city": "address_attributes.citi" }'],
    ];
    for (const [column, columns] of mapped) {
      const { at, client, rows } = planFile(`${column},last_name\na@b.nl,A\n`);
      const error = await failure<InputError>(plan(client.users, rows(), { to: at("a.plan"), key: "email" }));
      expect(error.message).toContain(`To read that field from this column, pass columns: ${columns}`);
    }
    const { at, client } = planFile("");
    const error = await failure(plan(client.users, [], { to: at("a.plan"), key: "E-mail" as never }));
    expect(error.message).not.toContain("columns: {");
  });

  // The second case has an empty line below the header, which shifts the line number of the first row.
  test.each(["", "\n"])("without the key are refused once, before anything is sent", async (between) => {
    const { at, sandbox, client, rows } = planFile(`first_name,last_name\n${between}Ada,A\nBob,B\n`);
    for (const [key, name] of [
      ["email", "email"],
      [["first_name", "email"], "email"],
      ["id", "id"],
    ] as const) {
      for (const columns of [undefined, { first_name: "first_name" }] as const) {
        const error = await failure<InputError>(
          plan(client.users, rows(), { to: at("a.plan"), key, columns, find: { label_ids: "name" } }),
        );
        expect(error.code).toBe("input");
        expect(error.message).toContain(
          `names the column "${name}", which is not in the file; the file has first_name, last_name`,
        );
      }
    }
    expect(sandbox.requests).toHaveLength(0);
  });

  test("that the file does not have are refused with those it has", async () => {
    const { at, client, rows } = planFile("E-mail;Name\na@b.nl;A\n");
    const error = await failure(
      plan(client.users, rows(), { to: at("a.plan"), key: "email", columns: { email: "Email" } }),
    );
    expect(error.message).toContain(
      'columns.email names the column "Email", which is not in the file; the file has E-mail, Name',
    );
  });

  test("that are misspelled as options, keys and fields to clear are refused", async () => {
    const { at, sandbox, client, rows } = planFile("email\na@b.nl\n");
    const bad: readonly [object, string][] = [
      [{ key: "emial" }, 'did you mean "email"?'],
      [{ key: "email", clear: ["first_name"] }, "names first_name, which the service does not accept empty"],
      [{ key: "email", clear: ["email"] }, "names the key email"],
      [{ key: "email", colums: {} }, 'did you mean "columns"?'],
      [{ key: [] }, "must name a field"],
      [{ key: "email", do: "approve" }, 'names the action "approve", which users do not have'],
      [{ key: "email", to: "" }, "must be the name of a file, or a journal"],
      [{ key: "email", columns: { email: 7 } }, "columns must be an object with the name of a column for each field"],
      [{ key: "email", columns: ["email"] }, "columns must be an object"],
      [
        { key: "email", find: { label_ids: true } },
        "find must be an object that maps each reference to a field of the referenced record",
      ],
      [{ key: "email", clear: "middle_name" }, "clear must be a list of fields"],
      [{ key: "email", clear: [7] }, "clear must be a list of fields"],
      [{ key: "email", params: 7 }, "params must be an object"],
      [{ key: "email", do: 7 }, "do must be the name of an action"],
      [{ key: "email", create: "no" }, "create must be true or false"],
      [{ key: "email", update: 0 }, "update must be true or false"],
      [{ key: "email", signal: {} }, "signal must be an AbortSignal"],
      [{ key: "email", onProgress: true }, "onProgress must be a function"],
    ];
    for (const [options, message] of bad) {
      const error = await failure(plan(client.users, rows(), { to: at("a.plan"), ...options } as never));
      expect(error.message).toContain(message);
    }
    const amount = plan(client.courses, [], { to: at("a.plan"), key: "cost" });
    expect((await failure(amount)).message).toContain("names cost: amounts do not identify records");
    const orders = await failure(plan(client.orders, [], { to: at("a.plan"), key: "account_id" }));
    expect(orders.message).toContain("two identical orders are legitimate; use a custom field as the key");
    expect((await failure(plan({} as never, [], { to: at("a.plan"), key: "id" }))).message).toContain(
      "takes a resource",
    );
    expect(sandbox.requests).toHaveLength(0);
  });
});

test("cells are read by their fields; what is wrong is refused with row and column", async () => {
  const { at, sandbox, client, rows } = planFile(
    [
      "Title,E-mail,Value,News,Status,Labels",
      'One,one@example.com,12.50,yes,prospect,"Red; Blue"',
      "Two,two@example.com,12.5x,perhaps,nothing,",
      "Three,three@example.com,,no,,Green; Red;Grey",
      "Four,four@example.com,,,,Twice",
      ",five@example.com,,,,",
      "Six,six@example.com,,,,",
      "Six,SIX@example.com ,,,,",
      "Seven,seven@example.com,,,,",
      "Eight,,,,,",
    ].join("\r\n"),
  );
  for (const name of ["Red", "Blue", "Twice", "Twice"]) sandbox.store.labels.insert({ name, model_type: "Lead" });
  sandbox.store.labels.insert({ name: "Red", model_type: "User" });
  const [first, second] = [1, 2].map(
    () => sandbox.store.leads.insert({ title: "Seven", email: "seven@example.com" }).id,
  );
  const summary = await plan(client.leads, rows(), {
    to: at("a.plan"),
    key: ["title", "email"],
    columns: {
      title: "Title",
      email: "E-mail",
      value: "Value",
      wants_newsletter: "News",
      status: "Status",
      label_ids: "Labels",
    },
    find: { label_ids: "name" },
  });
  const twice = [...sandbox.store.labels].filter(({ name }) => name === "Twice").map(({ id }) => id);
  expect(await whys(at("a.plan"))).toEqual({
    3: "News is neither true nor false",
    4: "Labels cannot be found: none of the labels has the name Green; none of the labels has the name Grey",
    5: `Labels cannot be found: 2 of the labels have the name Twice: ${twice.join(", ")}`,
    6: "Title is empty, so the row has no key",
    7: "row 8 has the same key",
    8: "row 7 has the same key",
    9: `Title is the key of 2 records: ${first}, ${second}`,
    10: "E-mail is empty, so the row has no key",
  });
  expect(summary).toMatchObject({ create: 1, refuse: 8 });
  await apply(client, at("a.plan"));
  const made = [...sandbox.store.leads].find(({ title }) => title === "One");
  expect(made).toMatchObject({ value: "12.50", wants_newsletter: true, status: "prospect" });
  expect(made?.label_ids).toHaveLength(2);
});

test("an invalid number, amount or choice names its column", async () => {
  const { at, client } = planFile("");
  const rows = [
    { name: "A", code: "A", category_id: "one" },
    { name: "B", code: "B", category_id: "1", cost: "1.200,50", cost_scheme: "for nothing" },
    { name: "C", code: "C", category_id: "1", cost: 12.5 },
  ];
  const summary = await plan(client.courses, rows as never, { to: at("a.plan"), key: "code" });
  expect(summary).toMatchObject({ refuse: 3 });
  const found = await whys(at("a.plan"));
  expect(found[1]).toBe("category_id is not a whole number, such as 12");
  expect(found[2]).toContain("cost must use a decimal point and no other separators, as in 1200.50");
  expect(found[2]).toContain("cost_scheme must be one of");
  expect(found[3]).toContain("a number is refused because it can lose cents");
});

test("an empty cell leaves a field alone, and clears it only where asked", async () => {
  const { at, sandbox, client } = planFile("");
  sandbox.store.users.update(2, { middle_name: "de", notes_user: "x" });
  const rows = [{ id: 2, middle_name: "", "address_attributes.address_line2": null }];
  expect(await plan(client.users, rows, { to: at("a.plan"), key: "id" })).toMatchObject({ leave: 1 });
  await plan(client.users, rows, { to: at("b.plan"), key: "id", clear: ["middle_name"] });
  expect(await apply(client, at("b.plan"))).toMatchObject({ updated: 1, complete: true });
  expect(sandbox.store.users.get(2)).toMatchObject({ middle_name: null });
});

test("rows may come from another school, with names for its identifiers", async () => {
  const { at, sandbox, client } = planFile("");
  const other = createSandbox({ size: "small", skipWaits: true, seed: 2 });
  const source = new MainClient(other);
  for (const { name } of other.store.categories) sandbox.store.categories.insert({ name: `${name} here` });
  for (const { id, name } of [...other.store.categories]) other.store.categories.update(id, { name: `${name} here` });
  const summary = await plan(client.courses, source.courses.list().with({ category: true }), {
    to: at("a.plan"),
    key: "code",
    columns: { code: "code", name: "name", cost: "cost", category_id: "category.name" },
    find: { category_id: "name" },
    update: false,
  });
  expect(summary.create + summary.leave + summary.refuse).toBe([...other.store.courses].length);
  await apply(client, at("a.plan"));
  const codes = new Set([...sandbox.store.courses].map(({ code }) => code));
  for await (const { do: what, send } of rowsOf(at("a.plan")))
    if (what === "create") expect(codes).toContain(send.code);
});

test("the report keeps every input column byte for byte", async () => {
  const lines = [
    '"E-mail";First name;Last name;"Note; ""quoted"""',
    'a@example.com; Ada ;"O\'Neill";"two\nlines, ""x"""',
    "b@example.com;=1+1;é;",
  ];
  const { at, client, rows } = planFile(`\uFEFF${lines.join("\r\n")}\r\n`);
  await plan(client.users, rows(), {
    to: at("a.plan"),
    key: "email",
    columns: { email: "E-mail", first_name: "First name", last_name: "Last name" },
    allow: ["text_formula"],
  });
  await writeReport(at("a.plan"), at("before.csv"));
  expect(readFileSync(at("before.csv"), "utf8")).toContain(`${lines[2]};3;;;\r\n`);
  await apply(client, at("a.plan"));
  await writeReport(at("a.plan"), at("after.csv"));
  const text = readFileSync(at("after.csv"), "utf8");
  expect(text).toBe(
    `\uFEFF${lines[0]};_row;_outcome;_id;_reason\r\n${lines[1]};2;created;26;\r\n${lines[2]};3;created;27;\r\n`,
  );
});

test("a row that contains itself is refused by its number, and names none of its values", async () => {
  const { at, client } = planFile("");
  const row: Record<string, unknown> = { email: "a@b.nl", first_name: "A", last_name: "B" };
  row.notes = row;
  const columns = { email: "email", first_name: "first_name" };
  const error = await failure<InputError>(plan(client.users, [row], { to: at("a.plan"), key: "email", columns }));
  expect(error.message).toBe(
    "plan: row 1 cannot be kept as JSON, for example because it contains itself. Nothing was sent.",
  );
});

test("an undo that is impossible is refused, and the plan stays", async () => {
  const { at, client } = planFile("");
  await plan(client.users, [{ email: "a@b.nl", first_name: "A", last_name: "B" }], { to: at("a.plan"), key: "email" });
  const before = readFileSync(at("a.plan"));
  const wrong: readonly (readonly [unknown, string])[] = [
    [undefined, "options must be a plain object"],
    [{}, "to must be the name of a file, or a journal"],
    [{ to: at("a.plan") }, "to must name another plan"],
    [{ to: at("./b/../a.plan") }, "to must name another plan"],
    [{ to: `${at("")}/./a.plan` }, "to must name another plan"],
    [{ to: at("b.plan"), creates: true }, 'creates must be "delete"'],
  ];
  for (const [options, message] of wrong) {
    const error = await failure<InputError>(undo(at("a.plan"), options as never));
    expect(error.message).toBe(`undo: ${message}. Nothing was sent.`);
  }
  expect(readFileSync(at("a.plan"))).toEqual(before);
});
