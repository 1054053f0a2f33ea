import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fieldAt, pathsOf } from "../../../src/bulk/fields.js";
import { apply, plan, readCsv, rowsOf, writeReport } from "../../../src/bulk/node.js";
import { operationsOf, recordSchema, rowsOf as rowsOfTable, whyNoUpdate } from "../../../src/bulk/target.js";
import { formatOf, traitsOf, unwrap } from "../../../src/core/schema/traits.js";
import { type CsvOptions, exportTo } from "../../../src/export/node.js";
import { AdminClient, MainClient, type Pages } from "../../../src/index.js";
import { Resource } from "../../../src/operations.js";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.js";
import { amount, drawCases } from "../../support/amount.js";
import { testFolder } from "../support/folder.js";

// Cells of an export that are easily misread.
const TEXTS = [
  "'t Hart",
  "+31 20 555 01 00",
  "=SUM(A1:A9)",
  "'=1+1",
  "''+1",
  "-12.50",
  "'-12,50",
  "2.10",
  " Jo ",
  "a;b,c\td",
  'the "best"',
  "one\ntwo\r\nthree",
  "[4]",
  '["a"]',
  "{}",
  "#N/A",
  "########",
  "6,12E+08",
  "00123",
  "1e5",
  "Null",
  "True",
  "N/A Holding",
  "O\u2019Neill",
  "D'Angelo",
  "Zoe\u0308",
  "Zo\u00c3\u00ab",
  "\u00a0\u200bx",
  "Z\uFFFD",
  "03-04-2026",
  "@handle",
  "\u00a0=1",
];
const CUSTOM = [...TEXTS, 12.5, -3, true, false, ["a", "b;c"], [], null, "2026-11-23", "12.50"];
const RECORDS = amount(15, 1000);

type AnyResource = Resource & { list(query?: object): Pages<object> };
type Json = Record<string, unknown>;

/** A school whose lists show {@link TEXTS} in the text fields named by `texts`, and similar values in custom fields. */
function odd(sandbox: Sandbox, texts: readonly string[]): typeof sandbox.fetch {
  const changeTexts = (record: Json): Json => {
    const at = Number(record.id);
    const changed: Json = { ...record };
    for (const [index, path] of texts.entries()) {
      const [top = "", below] = path.split(".");
      const text = TEXTS[(at * 7 + index * 3) % TEXTS.length];
      if (below === undefined) changed[top] = text;
      else if (typeof changed[top] === "object" && changed[top] !== null)
        changed[top] = { ...changed[top], [below]: text };
    }
    if ("custom" in changed) {
      changed.custom = {
        ...(changed.custom as object),
        odd: CUSTOM[at % CUSTOM.length],
        other: CUSTOM[(at + 9) % CUSTOM.length],
      };
    }
    return changed;
  };
  return async (input, init) => {
    const response = await sandbox.fetch(input, init);
    const body: unknown = await response.json();
    const records = Array.isArray(body) ? body.map((record) => changeTexts(record as Json)) : body;
    return new Response(JSON.stringify(records), { status: response.status, headers: response.headers });
  };
}

const clients = { main: MainClient, admin: AdminClient };
const sandbox = createSandbox({ size: RECORDS, skipWaits: true, rateLimit: false });

function columnsOf(resource: Resource): { readonly texts: string[]; readonly columns: Record<string, string> } {
  const rows = rowsOfTable(operationsOf(resource), [], undefined);
  const schema = recordSchema(rows);
  const fields = pathsOf(rows.update?.body).flatMap((path) => fieldAt(rows.update?.body, schema, path) ?? []);
  const shown = fields.flatMap((field) => (field.read ? [{ ...field, at: field.read.join(".") }] : []));
  const texts = shown.filter(({ schema, decimal }) => {
    const bare = unwrap(schema);
    return traitsOf(bare).kind === "text" && formatOf(bare) === undefined && !decimal;
  });
  const own = shown.some(({ at }) => at === "custom")
    ? { "custom.odd": "custom.odd", "custom.other": "custom.other" }
    : {};
  const columns = { id: "id", ...Object.fromEntries(shown.map(({ path, at }) => [path, at])), ...own };
  return { texts: texts.map(({ at }) => at), columns };
}

const RESOURCES = (["main", "admin"] as const).flatMap((api) =>
  Object.entries(new clients[api](sandbox[api])).flatMap(([name, resource]) => {
    if (!(resource instanceof Resource)) return [];
    const rows = rowsOfTable(operationsOf(resource), [], undefined);
    const isOne = rows.list && !rows.list.path.includes("{") && rows.update && whyNoUpdate(rows) === null;
    return isOne ? [{ api, name }] : [];
  }),
);

const FORMS: readonly (readonly [string, CsvOptions])[] = [
  ["CSV", {}],
  ["Excel", { delimiter: ";", byteOrderMark: true, escapeFormulas: true, decimalComma: true }],
];

describe.each(FORMS)("what an export writes as %s", (_, csv) => {
  test.each(drawCases(RESOURCES, 15))(
    "changes no record of $api $name, and no row is refused",
    async ({ api, name }) => {
      const at = testFolder();
      const plain = new clients[api](sandbox[api]) as unknown as Record<string, AnyResource>;
      const { texts, columns } = columnsOf(plain[name] as AnyResource);
      const client = new clients[api]({ ...sandbox[api], fetch: odd(sandbox, texts) }) as unknown as typeof plain;
      const resource = client[name] as AnyResource;
      const paths = [...new Set(Object.values(columns))];
      const { records } = await exportTo(at("list.csv"), resource.list(), { format: "csv", csv, columns: paths });
      const { update, refuse, create, leave } = await plan(resource, readCsv(at("list.csv")), {
        to: at("list.plan"),
        key: "id",
        columns,
        formats: csv.decimalComma ? { decimal: "," } : {},
      });
      const wrong: unknown[] = [];
      for await (const row of rowsOf(at("list.plan"))) {
        if (row.do !== "leave" && wrong.length < 3) wrong.push([row.do, row.why, row.before, row.send]);
      }
      expect({ update, refuse, create, leave, wrong }).toEqual({
        update: 0,
        refuse: 0,
        create: 0,
        leave: records,
        wrong: [],
      });
    },
  );
});

test("the report of a run, planned again with its columns, asks for nothing; protected for Excel as often as one likes", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));
  const names = ["'t Hart", "=SUM(A1:A9)", "+31 20 555 01 00", "'=1+1", "-12.50", "Null"];
  const lines = names.map((name, row) => `r${row}@example.com,Jo,"${name}"`);
  writeFileSync(at("0.csv"), `email,first_name,last_name\n${lines.join("\n")}\n`);
  for (const [turn, escapeFormulas] of [false, true, true, false, true].entries()) {
    const to = at(`${turn}.plan`);
    const { create, leave } = await plan(client.users, readCsv(at(`${turn}.csv`)), {
      to,
      key: "email",
      allow: ["text_formula"],
    });
    expect([create, leave]).toEqual(turn === 0 ? [names.length, 0] : [0, names.length]);
    await apply(client, to);
    await writeReport(to, at(`${turn + 1}.csv`), { escapeFormulas });
  }
  const users = await client.users.list().toArray();
  expect(users.slice(-names.length).map(({ last_name }) => last_name)).toEqual(names.with(3, "=1+1"));
});

test("one cell that is changed in a spreadsheet is one change, in the form of the record", async () => {
  const at = testFolder();
  const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));
  const columns = ["id", "phone", "label_ids"] as const;
  const [csv] = FORMS.slice(1).map(([, options]) => options);
  await client.accounts.update(1, { name: "Firm", phone: "+31 20 555 01 00" });
  await exportTo(at("a.csv"), client.accounts.list(), { format: "csv", csv, columns });
  const edited = readFileSync(at("a.csv"), "utf8").replace(/\r\n1;.*\r\n/, "\r\n1;'+31 20 555 01 99;[1,2]\r\n");
  writeFileSync(at("a.csv"), edited);
  await plan(client.accounts, readCsv(at("a.csv")), { to: at("a.plan"), key: "id", formats: { decimal: "," } });
  const changes: unknown[] = [];
  for await (const row of rowsOf(at("a.plan"))) if (row.do !== "leave") changes.push([row.id, row.do, row.send]);
  expect(changes).toEqual([[1, "update", { phone: "+31 20 555 01 99", label_ids: [1, 2] }]]);
});
