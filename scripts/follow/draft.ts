import { globSync, readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import ts from "typescript";
import { ROOT } from "../lib/generated.ts";
import type { Fact } from "./compare.ts";
import type { OperationFacts, Spec, Specs } from "./contract.ts";
import { columnsOf, firstLiteral, propertyNodeOf, propertyOf, visit } from "./literals.ts";

const READ: Readonly<Record<string, string>> = {
  ...{ integer: "z.int()", string: "z.string()", boolean: "z.boolean()", number: "z.number()" },
  ...{ decimal: "decimal()", date: "date()", datetime: "dateTime()" },
};
const SENT: Readonly<Record<string, string>> = {
  ...{ ...READ, decimal: "decimalInput()", date: "dateInput()", datetime: "dateTimeInput()" },
};
const HOMES: Readonly<Record<string, readonly string[]>> = {
  "core/operation": ["type PageQuery"],
  "core/schema/model": ["model", "ref"],
  "models/custom-fields": ["customFields"],
  "models/dates": ["date", "dateInput", "dateTime", "dateTimeInput"],
  "models/ids": ["identifier"],
  "models/lists": ["filterInput", "listInput"],
  "models/money": ["decimal", "decimalInput"],
  "resources/methods": ["type Call", "call", "type ListOptions", "type Pages", "pages", "type RequestOptions"],
};
/** Values that a seeded record of the sandbox gets, by type. */
const SEEDS: Readonly<Record<string, string>> = {
  ...{ integer: "1", string: '"text"', boolean: "false", number: "1", decimal: '"0.00"', date: '"2030-01-01"' },
  ...{ datetime: '"2030-01-01T08:00:00.000Z"', array: "[]" },
};
const HIDDEN = "and choose its class: until then it is a note, which assistants neither see nor filter by";

const upper = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const lower = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

interface Place {
  readonly file: string;
  readonly node: ts.ObjectLiteralExpression;
}

/** Drafts facts in the sources. A draft that needs a decision contains the word FOLLOW, which lint refuses. */
export class Drafts {
  /** Drafts that need a decision or a sentence, by file. */
  readonly left = new Set<string>();
  /** The changed sources. */
  readonly changes = new Map<string, string>();
  readonly #texts = new Map<string, string>();

  constructor() {
    for (const file of globSync("src/{resources,models,sandbox}/**/*.ts", { cwd: ROOT }).sort())
      this.#texts.set(file.replaceAll("\\", "/"), readFileSync(ROOT + file, "utf8"));
  }

  /** Drafts a fact. @returns null, or the reason why it cannot be drafted. */
  draft(fact: Fact): string | null {
    const { kind, of } = fact;
    const ofAdmin = fact.apis.join() === "admin" && this.#literals(`admin${of}Schema`).length > 0;
    if (fact.isPartial && !ofAdmin) return `only the ${fact.apis.join(" and ")} API says so: give each API its own`;
    if (kind === "value new" || kind === "value gone") return this.#value(fact);
    if (kind === "path") return this.#path(fact.row as OperationFacts);
    if (kind === "operation new") return this.#operation(fact.row as OperationFacts);
    if (/ (query|body)\./.test(fact.where)) {
      const part = fact.where.includes(" query.") ? "query" : "body";
      const row = this.#row(of);
      if (row && part === "query" && !propertyOf(row.node, part)) return this.#firstFilter(fact, row);
      const schema = row && propertyOf(row.node, part);
      if (!schema || !ts.isIdentifier(schema)) return `its row has no ${part} schema`;
      return this.#field(fact, schema.text, SENT, part === "query");
    }
    if (!fact.spec && !fact.was) return `see "Change a resource" in CONTRIBUTING.md`;
    const problem = this.#field(fact, ofAdmin ? `admin${of}Schema` : `${lower(of)}Schema`, READ, false);
    if (problem === null) this.#seed(fact);
    return problem;
  }

  #field(fact: Fact, schema: string, types: typeof READ, isQuery: boolean): string | null {
    const { name, spec, kind } = fact;
    const literals = this.#literals(schema);
    const [own] = literals;
    if (!own) return `src has no plain schema ${schema}`;
    const found = literals.flatMap(({ file, node }) =>
      node.properties.flatMap((one) =>
        ts.isPropertyAssignment(one) && one.name.getText() === name ? [{ file, one }] : [],
      ),
    )[0];
    if (kind === "field new") {
      if (found) return null;
      const written = this.#zod(spec as Spec, types, isQuery);
      if (written === null) return `a field of the type ${spec?.type}`;
      const needsClass =
        types === READ && /^(string|number|integer)/.test(spec?.type ?? "") && !/(^|_)ids?$/.test(name);
      const doc = `  /** FOLLOW: say what it holds${needsClass ? `, ${HIDDEN}` : ""}. */\n`;
      this.#insert(own, `${doc}  ${name}: ${written},${needsClass ? " // note" : ""}\n`);
      this.#import(own.file, written);
      this.left.add(`${own.file}: a sentence for ${fact.where}${needsClass ? `, ${HIDDEN}` : ""}`);
      return null;
    }
    if (!found && (kind === "field gone" || !spec)) return `${schema} takes it from elsewhere`;
    if (!found) return this.#field({ ...fact, kind: "field new" }, schema, types, isQuery);
    const { file, one } = found;
    if (kind === "field gone") {
      this.#remove(file, one);
      return null;
    }
    const before = one.initializer.getText();
    const bare = before.replace(/^z\.optional\((.*)\)$/s, "$1").replace(/^z\.nullable\((.*)\)$/s, "$1");
    const written = kind === "type" ? this.#zod(spec as Spec, types, isQuery) : wrapped(bare, spec as Spec, types);
    if (written === null || kind.endsWith("deprecated")) return `see "Change a resource" in CONTRIBUTING.md`;
    this.#replace(file, one.initializer.getStart(), one.initializer.getEnd(), written);
    this.#import(file, written);
    return null;
  }

  #zod(spec: Spec, types: typeof READ, isQuery: boolean): string | null {
    const type = spec.type.replace(/\|null$/, "");
    const item = /^array<(.*)>$/.exec(type)?.[1];
    const isSent = types === SENT;
    const one = (of: string): string | null => {
      if (isSent && of === "integer") return "identifier()";
      if (types[of]) return types[of];
      if (of === "CustomFields") return "customFields()";
      if (this.#literals(`${lower(of)}Schema`).length > 0) return `ref<${of}>(${lower(of)}Schema)`;
      return this.#fileOf(new RegExp(`export const ${of} = .*enumeration\\(`))
        ? `${of}.${isSent ? "schema" : "open"}`
        : null;
    };
    const inner = one(item ?? type);
    if (inner === null) return null;
    const list = isSent ? `${isQuery ? "filterInput" : "listInput"}(${inner})` : `z.array(${inner})`;
    return wrapped(item === undefined ? inner : list, spec, types);
  }

  // Imports the names that code uses; Biome joins the imports of a module.
  #import(file: string, code: string): void {
    const had = (this.#texts.get(file) ?? "").match(/^import [^;]*;/gm)?.join("\n") ?? "";
    for (const name of new Set(code.match(/\b[a-zA-Z]\w+\b/g))) {
      const home = Object.keys(HOMES).find((one) => HOMES[one]?.some((known) => known.replace("type ", "") === name));
      const declared = /Schema$/.test(name) || new RegExp(`\\b${name}(\\.|>\\()`).test(code);
      const from = home
        ? `src/${home}.ts`
        : declared
          ? this.#fileOf(new RegExp(`^export (const|interface) ${name}\\b`, "m"))
          : null;
      if (!from || from === file || new RegExp(`\\b${name}\\b`).test(had)) continue;
      const path = relative(dirname(file), from).replaceAll("\\", "/").replace(/\.ts$/, ".js");
      const isType = home ? HOMES[home]?.includes(`type ${name}`) : new RegExp(`<${name}>`).test(code);
      const line = `import { ${isType ? "type " : ""}${name} } from "${path.startsWith(".") ? path : `./${path}`}";\n`;
      this.#put(file, line + (this.#texts.get(file) ?? ""));
    }
  }

  #value({ kind, of, name }: Fact): string | null {
    const file = this.#fileOf(new RegExp(`export const ${of} = .*enumeration\\(`));
    if (!file) return `src has no enumeration ${of}`;
    const text = this.#texts.get(file) ?? "";
    const list = new RegExp(`(export const ${of} = .*enumeration\\(\\s*\\[)([^\\]]*)\\]`);
    const [whole = "", head = "", inside = ""] = list.exec(text) ?? [];
    if (whole === "") return `${file} writes its values in another form`;
    const values = inside.split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));
    const value = JSON.stringify(name);
    const next = kind === "value gone" ? values.filter((one) => one !== value) : [...new Set([...values, value])];
    this.#put(
      file,
      text.replace(whole, () => `${head}${next.join(", ")}]`),
    );
    return null;
  }

  #path({ id, path, method }: OperationFacts): string | null {
    const row = this.#row(id);
    if (!row) return "its row is in a table per API";
    for (const [part, value] of [
      ["path", path],
      ["method", method],
    ] as const) {
      const now = this.#row(id) ?? row;
      const node = propertyOf(now.node, part);
      if (node) this.#replace(now.file, node.getStart(), node.getEnd(), JSON.stringify(value));
    }
    return null;
  }

  #operation(row: OperationFacts): string | null {
    const [resource = "", method = ""] = [row.id.slice(0, row.id.lastIndexOf(".")), row.id.split(".").at(-1)];
    const file = this.#fileOf(new RegExp(`operationTable\\(\\s*"${resource}",`));
    if (!file) return `a new resource: see "Add a resource" in CONTRIBUTING.md`;
    const record = /^(?:array<)?([A-Z]\w*)>?$/.exec(row.response ?? "")?.[1];
    const isList = row.paged !== null;
    const holes = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, hole = ""]) => hole);
    if (
      holes.some((hole) => hole !== "id" || holes.length > 1) ||
      (row.response !== null && !record) ||
      (isList && holes.length > 0)
    )
      return `its path or response has another form: see "Change a resource" in CONTRIBUTING.md`;
    if (record && this.#literals(`${lower(record)}Schema`).length === 0) return `a new record, ${record}`;
    const type = `${record ?? upper(resource.split(".").at(-1) ?? "")}${upper(method)}`;
    const parts: string[] = [];
    let models = "";
    for (const [part, fields, suffix] of [
      ["query", row.query, "Query"],
      ["body", row.body ?? {}, ""],
    ] as const) {
      if (Object.keys(fields).length === 0 && (part === "query" || row.body === null)) continue;
      const lines = this.#lines(fields, part === "query");
      if (lines === null) return `its ${part} has a field of another form`;
      models += `export const ${lower(type)}${suffix}Schema = /* @__PURE__ */ model(() => ({\n${lines}}));\n\n`;
      models += `/** FOLLOW: say what ${row.id} takes. */\nexport interface ${type}${suffix} extends z.input<typeof ${lower(type)}${suffix}Schema> {}\n\n`;
      parts.push(part);
    }
    const has = (part: string) => parts.includes(part);
    const facts = [
      ...[`method: ${JSON.stringify(row.method)}`, `path: ${JSON.stringify(row.path)}`],
      ...(has("query") ? [`query: ${lower(type)}QuerySchema`] : []),
      ...(has("body") ? [`body: ${lower(type)}Schema`] : []),
      ...(record ? [`response: ${lower(record)}Schema`] : []),
      ...(isList ? [`paged: ${JSON.stringify(row.paged)}`] : []),
      ...(row.status === 200 ? [] : [`status: ${row.status}`]),
      ...(row.scopes.length > 0 ? [`scopes: ${JSON.stringify(row.scopes)}`] : []),
      ...(row.beta ? ["beta: true"] : []),
      ...(row.feature ? [`feature: ${JSON.stringify(row.feature)}`] : []),
    ];
    const table = this.#row(`${resource}.`);
    if (!table) return "its resource has a table per API";
    this.#insert(table, `    ${method}: { ${facts.join(", ")} },\n`);
    const text = this.#texts.get(file) ?? "";
    const at = text.search(/\nconst operations = /);
    const end = text.lastIndexOf("\n}\n");
    const takes = [
      ...(holes.length > 0 ? ["id: number"] : []),
      ...(isList || has("query") ? [`query: ${has("query") ? `${type}Query` : "PageQuery"} = {}`] : []),
      ...(has("body") ? [`body: ${type}`] : []),
      `options?: ${isList ? "ListOptions" : "RequestOptions"}`,
    ];
    const gives = [
      ...(holes.length > 0 ? ["params: { id }"] : []),
      ...(isList || has("query") ? ["query"] : []),
      ...(has("body") ? ["body"] : []),
    ];
    const needed = Object.entries(row.body ?? {}).filter(([, { required }]) => required);
    const given = `{ ${needed.map(([name, { type }]) => `${name}: ${SEEDS[type.replace(/\|null$/, "")] ?? "[]"}`).join(", ")} }`;
    const example = [...(holes.length > 0 ? ["7"] : []), ...(has("body") ? [given] : [])].join(", ");
    const doc = `  /**\n   * FOLLOW: say what it does.${row.beta ? "\n   * @beta" : ""}\n   * @example\n   * console.log(await client.${row.id}(${example}));\n   */\n`;
    const result = isList ? `Pages<${record}>` : `Call<${record ?? "void"}>`;
    const body = `    return ${isList ? "pages" : "call"}(this, operations.${method}, { ${gives.join(", ")} }, options);\n`;
    const code = `${doc}  ${method}(${takes.join(", ")}): ${result} {\n${body}  }\n`;
    this.#put(file, `${text.slice(0, at + 1)}${models}${text.slice(at + 1, end + 1)}\n${code}${text.slice(end + 1)}`);
    this.#import(file, models + code);
    this.left.add(`${file}: sentences and an example for ${row.id}`);
    this.left.add(`src/sandbox: what ${row.id} does, unless it is a plain read or write of its collection`);
    return null;
  }

  // The first filter of a list makes a schema for it.
  #firstFilter({ of, name, spec }: Fact, { file, node }: Place): string | null {
    const method = of.split(".").at(-1) ?? "";
    const schema = propertyOf(node, "response")?.getText() ?? "";
    const signature = new RegExp(`(  ${method}\\([^)]*query: )(PagedQuery|PageQuery)\\b`);
    const lines = spec && this.#lines({ [name]: spec }, true);
    const type = `${upper(schema.replace(/Schema$/, ""))}${method === "list" ? "" : upper(method)}Query`;
    const [, , paging] = signature.exec(this.#texts.get(file) ?? "") ?? [];
    if (!lines || !schema || !paging || this.#literals(`${lower(type)}Schema`).length > 0)
      return "its row has no query schema";
    const row = this.#row(of);
    if (row) this.#insert(row, ` query: ${lower(type)}Schema,`);
    const text = (this.#texts.get(file) ?? "")
      .replace(signature, `$1${type}`)
      .replace(new RegExp(`(extends ListedResource<\\w+, )${paging}>`), `$1${type}>`);
    const model = `export const ${lower(type)}Schema = /* @__PURE__ */ model(() => ({\n${lines}}));\n\n`;
    const doc = `/** FOLLOW: say what the filters are of. */\nexport interface ${type} extends z.input<typeof ${lower(type)}Schema>, ${paging} {}\n\n`;
    const at = text.search(/\nconst operations = /) + 1;
    this.#put(file, text.slice(0, at) + model + doc + text.slice(at));
    this.#import(file, model);
    this.left.add(`${file}: sentences for the first filter of ${of}`);
    return null;
  }

  #lines(fields: Specs, isQuery: boolean): string | null {
    const lines: string[] = [];
    for (const [name, spec] of Object.entries(fields)) {
      const written = this.#zod(spec, SENT, isQuery);
      if (written === null) return null;
      lines.push(`  /** FOLLOW: say what it holds. */\n  ${name}: ${written},\n`);
    }
    return lines.join("");
  }

  // Adds columns for the record's new fields to the sandbox, so that the drafts compile.
  #seed({ kind, of, name, spec }: Fact): void {
    const store = this.#texts.get("src/sandbox/data/store.ts") ?? "";
    const [, collection] = new RegExp(`readonly (\\w+): Collection<(?:sdk\\.)?(?:Admin)?${of}\\b`).exec(store) ?? [];
    for (const file of this.#texts.keys()) {
      if (!/^src\/sandbox\/(.*seed|organization\/views)/.test(file)) continue;
      const columns = columnsOf(this.#parse(file), collection, of);
      if (!columns) continue;
      const old = propertyNodeOf(columns, name);
      if (kind === "field gone" && old) this.#remove(file, old);
      if (kind !== "field new" || spec?.optional || old) return;
      const type = spec?.type ?? "";
      const value = type.endsWith("|null") ? "null" : (SEEDS[type.replace(/<.*/, "")] ?? this.#firstOf(type));
      this.#insert({ file, node: columns }, `    ${name}: () => ${value},\n`);
      this.left.add(`${file}: what ${of}.${name} is in the sandbox (drafted: ${value})`);
      return;
    }
    if (kind === "field new") this.left.add(`src/sandbox: ${of}.${name}, which has no column of its own there`);
  }

  #firstOf(enumeration: string): string {
    const file = this.#fileOf(new RegExp(`export const ${enumeration} = .*enumeration\\(`));
    const [, first] =
      new RegExp(`export const ${enumeration} = [^[]*\\[\\s*("[^"]*")`).exec((file && this.#texts.get(file)) ?? "") ??
      [];
    return first ?? "null";
  }

  #row(id: string): Place | null {
    const [resource = "", method] = [id.slice(0, id.lastIndexOf(".")), id.split(".").at(-1)];
    const file = this.#fileOf(new RegExp(`operationTable\\(\\s*"${resource}",`));
    if (!file) return null;
    const found: ts.ObjectLiteralExpression[] = [];
    visit(this.#parse(file), (node) => {
      if (!ts.isCallExpression(node) || node.expression.getText() !== "operationTable") return;
      const [name, , rows] = node.arguments;
      if (name?.getText() !== `"${resource}"` || !rows || !ts.isObjectLiteralExpression(rows)) return;
      const row = method ? propertyOf(rows, method) : rows;
      if (row && ts.isObjectLiteralExpression(row)) found.push(row);
    });
    // A resource with one table per API has the same row twice.
    return found[0] && found.length === 1 ? { file, node: found[0] } : null;
  }

  // The object that defines a schema, and those of the functions from which it takes fields.
  #literals(schema: string): Place[] {
    const file = this.#fileOf(new RegExp(`export const ${schema} = `));
    if (!file) return [];
    const source = this.#parse(file);
    const found: Place[] = [];
    const seen = new Set<string>();
    const take = (name: string): void => {
      if (seen.has(name)) return;
      seen.add(name);
      visit(source, (node) => {
        if (!ts.isVariableDeclaration(node) || node.name.getText() !== name || !node.initializer) return;
        const literal = firstLiteral(node.initializer);
        if (literal) found.push({ file, node: literal });
        visit(node.initializer, (inner) => {
          if (ts.isIdentifier(inner) && /(Fields|Path|Course)$/.test(inner.text)) take(inner.text);
        });
      });
    };
    take(schema);
    return found;
  }

  #insert({ file, node }: Place, line: string): void {
    const text = this.#texts.get(file) ?? "";
    const last = node.properties.at(-1)?.getEnd() ?? node.getStart() + 1;
    const comma = node.properties.length > 0 && !node.properties.hasTrailingComma ? "," : "";
    const inside = text.slice(last, node.getEnd() - 1).trimEnd();
    this.#replace(file, last, node.getEnd() - 1, `${comma}${inside}\n${line}`);
  }

  // Removes a property with the comments above and behind it.
  #remove(file: string, node: ts.Node): void {
    const text = this.#texts.get(file) ?? "";
    const [comment] = (ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []).filter(({ pos }) =>
      text.slice(node.getFullStart(), pos).includes("\n"),
    );
    const from = text.lastIndexOf("\n", comment?.pos ?? node.getStart());
    const line = text.indexOf("\n", node.getEnd());
    const rest = /^,?( *\/\/.*)?$/.exec(text.slice(node.getEnd(), line));
    this.#replace(file, from, rest ? line : node.getEnd() + 1, "");
  }

  #replace(file: string, from: number, to: number, text: string): void {
    const whole = this.#texts.get(file) ?? "";
    this.#put(file, whole.slice(0, from) + text + whole.slice(to));
  }

  #put(file: string, text: string): void {
    this.#texts.set(file, text);
    this.changes.set(file, text);
  }

  #parse(file: string): ts.SourceFile {
    return ts.createSourceFile(file, this.#texts.get(file) ?? "", ts.ScriptTarget.Latest, true);
  }

  #fileOf(pattern: RegExp): string | null {
    return [...this.#texts].find(([, text]) => pattern.test(text))?.[0] ?? null;
  }
}

function wrapped(inner: string, { type, optional, required }: Spec, types: typeof READ): string {
  const value = type.endsWith("|null") ? `z.nullable(${inner})` : inner;
  return (types === SENT ? !required : optional) ? `z.optional(${value})` : value;
}
