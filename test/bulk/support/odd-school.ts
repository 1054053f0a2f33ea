import { fieldAt, pathsOf } from "../../../src/bulk/fields.js";
import { plan, rowsOf } from "../../../src/bulk/node.js";
import { operationsOf, recordSchema, rowsOf as rowsOfTable, whyNoUpdate } from "../../../src/bulk/target.js";
import { formatOf, traitsOf, unwrap } from "../../../src/core/schema/traits.js";
import { AdminClient, MainClient, type Pages } from "../../../src/index.js";
import { Resource } from "../../../src/operations.js";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.js";
import { amount } from "../../support/amount.js";

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
  "0612345678",
  "01067",
  "2/3",
  "1/2026",
  "12:30",
  "_x0041_",
  "1850-01-01",
  "2026-10-18T09:30:00Z",
  "TRUE",
  "31612345678901200",
  "  two  blanks",
];
const CUSTOM = [...TEXTS, 12.5, -3, true, false, ["a", "b;c"], [], null, "2026-11-23", "12.50"];
const RECORDS = amount(15, 1000);

export type AnyResource = Resource & { list(query?: object): Pages<object> };
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

/** The resources whose records can be changed, and that have a list of their own. */
export const RESOURCES = (["main", "admin"] as const).flatMap((api) =>
  Object.entries(new clients[api](sandbox[api])).flatMap(([name, resource]) => {
    if (!(resource instanceof Resource)) return [];
    const rows = rowsOfTable(operationsOf(resource), [], undefined);
    const isOne = rows.list && !rows.list.path.includes("{") && rows.update && whyNoUpdate(rows) === null;
    return isOne ? [{ api, name }] : [];
  }),
);

/** A resource whose lists show odd texts, its columns by field, and their paths in an export. */
export function oddResource({ api, name }: (typeof RESOURCES)[number]) {
  const plain = new clients[api](sandbox[api]) as unknown as Record<string, AnyResource>;
  const { texts, columns } = columnsOf(plain[name] as AnyResource);
  const client = new clients[api]({ ...sandbox[api], fetch: odd(sandbox, texts) }) as unknown as typeof plain;
  return { resource: client[name] as AnyResource, columns, paths: [...new Set(Object.values(columns))] };
}

/** Plans the rows of an export, and counts what would change; `wrong` are the first rows that differ. */
export async function changesOf(
  resource: AnyResource,
  rows: AsyncIterable<object>,
  columns: Readonly<Record<string, string>>,
  to: string,
) {
  const { update, refuse, create, leave } = await plan(resource, rows, { to, key: "id", columns });
  const wrong: unknown[] = [];
  for await (const row of rowsOf(to)) {
    if (row.do !== "leave" && wrong.length < 3) wrong.push([row.do, row.why, row.before, row.send]);
  }
  return { update, refuse, create, leave, wrong };
}

export const unchanged = (records: number) => ({ update: 0, refuse: 0, create: 0, leave: records, wrong: [] });
