import ts from "typescript";
import type { Fact } from "./compare.ts";
import type { OperationFacts, Spec, Specs } from "./contract.ts";
import { BY_HAND, docOf, HIDDEN, MOVES, READ, SEEDS, SENT, wrapped } from "./forms.ts";
import { propertyOf, visit } from "./literals.ts";
import { seedField } from "./seeds.ts";
import { type Place, Sources } from "./sources.ts";

const upper = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const lower = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

/** Drafts facts in the sources. A draft that needs a decision contains the word FOLLOW, which lint refuses. */
export class Drafts {
  /** Drafts that need a decision or a sentence, by file. */
  readonly left = new Set<string>();
  readonly #sources = new Sources();
  readonly #facts: readonly Fact[];
  /** The new records, inputs and enumerations that were drafted. */
  readonly #shapes = new Set<string>();

  constructor(facts: readonly Fact[]) {
    this.#facts = facts;
  }

  /** The changed sources. */
  get changes(): ReadonlyMap<string, string> {
    return this.#sources.changes;
  }

  /** Drafts a fact. @returns null, or the reason why it cannot be drafted. */
  draft(fact: Fact): string | null {
    const { kind, of } = fact;
    if (kind.startsWith("api ")) return MOVES;
    const ofAdmin = fact.apis.join() === "admin" && this.#sources.literals(`admin${of}Schema`).length > 0;
    if (fact.isPartial && !ofAdmin)
      return `only the ${fact.apis.join(" and ")} API says so: give each API its own, as src/resources/people/tasks.ts does`;
    if (kind === "value new" || kind === "value gone") return this.#value(fact);
    if (kind === "path") return this.#path(fact.row as OperationFacts);
    if (kind === "operation new") return this.#operation(fact.row as OperationFacts);
    if (kind === "operation gone") return this.#operationGone(of);
    if (fact.all)
      return this.#shapes.has(of)
        ? null
        : `nothing in src uses it yet: see step 2 of "Add a resource" in CONTRIBUTING.md`;
    if (/ (query|body)\./.test(fact.where)) {
      const part = fact.where.includes(" query.") ? "query" : "body";
      const rows = this.#sources.rows(of);
      const [schema, ...others] = new Set(rows.map(({ node }) => propertyOf(node, part)?.getText()));
      if (!rows[0] || others.length > 0) return `its resource has a table per API, each with its own ${part}`;
      if (schema === undefined && part === "query") return this.#firstFilter(fact, rows[0]);
      if (part === "query" && fact.kind === "field new")
        this.left.add(
          `src/sandbox: which records the filter ${fact.name} of ${of} keeps, unless it compares the field of that name`,
        );
      if (fact.spec?.required && part === "query") this.#requireQuery(rows[0].file, of);
      return /^\w+$/.test(schema ?? "")
        ? this.#field(fact, schema ?? "", SENT, part === "query")
        : `its row has no ${part} schema of its own`;
    }
    if (!fact.spec && !fact.was) return BY_HAND[kind] ?? `take it out where the types name it`;
    const hasAdmin = fact.apis.includes("admin") && this.#sources.literals(`admin${of}Schema`).length > 0;
    const schemas = [...(ofAdmin ? [] : [`${lower(of)}Schema`]), ...(hasAdmin ? [`admin${of}Schema`] : [])];
    const problems = schemas.map((schema) => this.#field(fact, schema, fact.isInput ? SENT : READ, false));
    const problem = problems.find((one) => one !== null) ?? null;
    if (problem === null && !fact.isInput) seedField(fact, this.#facts, this.#sources, this.left);
    return problem;
  }

  /** Names the file in which a fact belongs, as the end of a sentence; empty if it is unknown. */
  placeOf({ of, where }: Fact): string {
    const schema = new RegExp(`export const (${lower(of)}Schema|${of}) = `);
    const resource = new RegExp(`operationTable\\(\\s*"${of.slice(0, of.lastIndexOf("."))}",`);
    const file = this.#sources.fileOf(/^[A-Z]/.test(where) ? schema : resource);
    return file ? `; in ${file}` : "";
  }

  #field(fact: Fact, schema: string, types: typeof READ, isQuery: boolean): string | null {
    const { name, spec, kind } = fact;
    // Drafting a new record shifts positions in the file, so it is done before the search below.
    const home = this.#sources.fileOf(new RegExp(`export const ${schema} = `));
    for (const [type] of home ? (spec?.type ?? "").matchAll(/[A-Z]\w*/g) : []) this.#shape(home ?? "", type, types);
    const literals = this.#sources.literals(schema);
    const [own] = literals;
    if (!own) return `src has no plain schema ${schema}`;
    const found = literals.flatMap(({ file, node, shared }) =>
      node.properties.flatMap((one) =>
        ts.isPropertyAssignment(one) && one.name.getText() === name ? [{ file, one, shared }] : [],
      ),
    )[0];
    if (kind === "field new") {
      if (found) return null;
      const line = this.#line(own.file, name, spec as Spec, types, isQuery);
      if (line === null) return `a field of the type ${spec?.type}`;
      if (own.shared && !this.#changesAll(own.file, own.shared, fact)) this.#insertApart(own.file, schema, line);
      else this.#sources.insert(own, line);
      this.#sources.import(own.file, line);
      this.left.add(`${own.file}: a sentence for ${fact.where}${line.includes("// note") ? `; ${HIDDEN}` : ""}`);
      return null;
    }
    if (!found && (kind === "field gone" || !spec)) return `${schema} takes it from elsewhere`;
    if (!found) return this.#field({ ...fact, kind: "field new" }, schema, types, isQuery);
    const { file, one, shared } = found;
    if (shared && !this.#changesAll(file, shared, fact))
      return `${shared} in ${file} has it for other schemas too: take it from there`;
    if (kind === "field gone") {
      this.#sources.remove(file, one);
      return null;
    }
    const before = one.initializer.getText();
    const bare = before.replace(/^z\.optional\((.*)\)$/s, "$1").replace(/^z\.nullable\((.*)\)$/s, "$1");
    if (kind === "deprecated") return this.#deprecate(file, one);
    if (kind === "not deprecated") return "take @deprecated out of its docstring";
    const written =
      kind === "type" ? this.#zod(file, spec as Spec, types, isQuery) : wrapped(bare, spec as Spec, types);
    if (written === null) return `a field of the type ${spec?.type}`;
    this.#sources.replace(file, one.initializer.getStart(), one.initializer.getEnd(), written);
    this.#sources.import(file, written);
    this.left.add(`${file}: whether the sentence of ${fact.where} is still true`);
    return null;
  }

  #line(file: string, name: string, spec: Spec, types: typeof READ, isQuery: boolean): string | null {
    const written = this.#zod(file, spec, types, isQuery);
    const needsClass =
      types === READ && /^(array<)?(string|number|integer|date)\b/.test(spec.type) && !/(^|_)ids?$/.test(name);
    const doc = docOf(spec, needsClass ? ` Then ${HIDDEN}.` : "");
    return written && `${doc}  ${name}: ${written},${needsClass ? " // note" : ""}\n`;
  }

  #deprecate(file: string, node: ts.Node): null {
    const text = this.#sources.texts.get(file) ?? "";
    const end = text.lastIndexOf("*/", node.getStart());
    const start = text.lastIndexOf("/**", end);
    const doc = text
      .slice(start + 3, end)
      .replace(/^\s*\*? ?/, "")
      .trimEnd();
    const written = `/**\n   * ${doc}\n   * @deprecated FOLLOW: name the field to use instead, or "The service names no replacement."\n   */`;
    this.#sources.replace(file, start, end + 2, written);
    this.left.add(`${file}: the replacement of the deprecated field`);
    return null;
  }

  // Drafts a new record, input or enumeration in the first file that uses it, before its first model.
  #shape(file: string, name: string, types: typeof READ): boolean {
    const fact = this.#facts.find(({ kind, of, all }) => of === name && all && kind.endsWith(" new"));
    if (!fact || this.#shapes.has(name)) return fact !== undefined;
    this.#shapes.add(name);
    const values = Array.isArray(fact.all) ? JSON.stringify(fact.all) : null;
    const lines = values ?? this.#lines(file, fact.all as Specs, false, types);
    if (lines === null) this.#shapes.delete(name);
    if (lines === null) return false;
    const schema = `${lower(name)}Schema`;
    const code = values
      ? `/** FOLLOW: say what the values are of. */\nexport const ${name} = /* @__PURE__ */ enumeration(${values}, { complete: false });\nexport type ${name} = (typeof ${name}.values)[number];\n\n`
      : `export const ${schema} = /* @__PURE__ */ model(() => ({\n${lines}}));\n\n/** FOLLOW: say what it is. */\nexport interface ${name} extends z.${types === READ ? "infer" : "input"}<typeof ${schema}> {}\n\n`;
    const text = this.#sources.texts.get(file) ?? "";
    // A nested shape that has just been drafted in the file goes first.
    const drafted = [...this.#shapes].map((one) => `${one}|${lower(one)}Schema`).join("|");
    const isOther = (node: ts.Statement) =>
      !ts.isImportDeclaration(node) && !new RegExp(`^export \\w+ (${drafted})\\b`).test(node.getText());
    const at = this.#sources.parse(file).statements.find(isOther)?.getFullStart() ?? 0;
    this.#sources.put(file, `${text.slice(0, at)}\n\n${code}${text.slice(at)}`);
    this.#sources.import(file, code);
    this.left.add(`${file}: sentences for ${name}`);
    return true;
  }

  // True if the schemas that take their fields from a function all change in the same way.
  #changesAll(file: string, shared: string, { kind, name }: Fact): boolean {
    const changed = this.#facts.flatMap((fact) => {
      if (fact.kind !== kind || fact.name !== name) return [];
      const rows = / body\./.test(fact.where) ? this.#sources.rows(fact.of) : [];
      if (rows.length > 0) return rows.map(({ node }) => propertyOf(node, "body")?.getText());
      return [`${lower(fact.of)}Schema`, `admin${fact.of}Schema`];
    });
    const parts = (this.#sources.texts.get(file) ?? "").split(/^(?=(?:export )?(?:const|interface|class) )/m);
    const users = parts.filter((part) => new RegExp(`\\b${shared}\\b`).test(part));
    return users.every((part) => {
      const [, name = ""] = /const (\w+)/.exec(part) ?? [];
      return name === shared || changed.includes(name);
    });
  }

  // Adds a line to a schema that takes all of its fields from a function.
  #insertApart(file: string, schema: string, line: string): void {
    visit(this.#sources.parse(file), (node) => {
      if (!ts.isVariableDeclaration(node) || node.name.getText() !== schema) return;
      const [made] = node.initializer && ts.isCallExpression(node.initializer) ? node.initializer.arguments : [];
      if (!made) return;
      const fields = ts.isArrowFunction(made) ? made.body.getText() : `${made.getText()}()`;
      this.#sources.replace(file, made.getStart(), made.getEnd(), `() => ({\n  ...${fields},\n${line}})`);
    });
  }

  #zod(file: string, spec: Spec, types: typeof READ, isQuery: boolean): string | null {
    const type = spec.type.replace(/\|null$/, "");
    const item = /^array<(.*)>$/.exec(type)?.[1];
    const isSent = types === SENT;
    const one = (of: string): string | null => {
      if (isSent && of === "integer") return "identifier()";
      if (types[of]) return types[of];
      if (of === "CustomFields") return "customFields()";
      if (/^[A-Z]\w*$/.test(of)) this.#shape(file, of, types);
      if (this.#sources.literals(`${lower(of)}Schema`).length > 0) return `ref<${of}>(${lower(of)}Schema)`;
      return this.#sources.fileOf(new RegExp(`export const ${of} = .*enumeration\\(`))
        ? `${of}.${isSent ? "schema" : "open"}`
        : null;
    };
    const inner = one(item ?? type);
    if (inner === null) return null;
    const list = isSent ? `${isQuery ? "filterInput" : "listInput"}(${inner})` : `z.array(${inner})`;
    return wrapped(item === undefined ? inner : list, spec, types);
  }

  #value({ kind, of, name }: Fact): string | null {
    const file = this.#sources.fileOf(new RegExp(`export const ${of} = .*enumeration\\(`));
    if (!file) return `src has no enumeration ${of}`;
    const text = this.#sources.texts.get(file) ?? "";
    const list = new RegExp(`(export const ${of} = .*enumeration\\(\\s*\\[)([^\\]]*)\\]`);
    const [whole = "", head = "", inside = ""] = list.exec(text) ?? [];
    if (whole === "") return `${file} writes its values in another form`;
    const values = inside.split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));
    const value = JSON.stringify(name);
    const next = kind === "value gone" ? values.filter((one) => one !== value) : [...new Set([...values, value])];
    this.#sources.put(
      file,
      text.replace(whole, () => `${head}${next.join(", ")}]`),
    );
    return null;
  }

  #path({ id, path, method }: OperationFacts): string | null {
    const row = this.#sources.row(id);
    if (!row) return "its row is in a table per API";
    for (const [part, value] of [
      ["path", path],
      ["method", method],
    ] as const) {
      const now = this.#sources.row(id) ?? row;
      const node = propertyOf(now.node, part);
      if (node) this.#sources.replace(now.file, node.getStart(), node.getEnd(), JSON.stringify(value));
    }
    return null;
  }

  #operation(row: OperationFacts): string | null {
    const [resource = "", method = ""] = [row.id.slice(0, row.id.lastIndexOf(".")), row.id.split(".").at(-1)];
    const file = this.#sources.fileOf(new RegExp(`operationTable\\(\\s*"${resource}",`));
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
    if (record && this.#sources.literals(`${lower(record)}Schema`).length === 0 && !this.#shape(file, record, READ))
      return `a new record, ${record}`;
    const type = `${record ?? upper(resource.split(".").at(-1) ?? "")}${upper(method)}`;
    const parts: string[] = [];
    let models = "";
    for (const [part, fields, suffix] of [
      ["query", row.query, "Query"],
      ["body", row.body ?? {}, ""],
    ] as const) {
      if (Object.keys(fields).length === 0 && (part === "query" || row.body === null)) continue;
      const lines = this.#lines(file, fields, part === "query");
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
    const table = this.#sources.row(`${resource}.`);
    if (!table) return "its resource has a table per API";
    this.#sources.insert(table, `    ${method}: { ${facts.join(", ")} },\n`);
    const text = this.#sources.texts.get(file) ?? "";
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
    const doc = `  /**\n   * FOLLOW: ${row.text || "say what it does."}${row.beta ? "\n   * @beta" : ""}\n   * @example\n   * console.log(await client.${row.id}(${example}));\n   */\n`;
    const result = isList ? `Pages<${record}>` : `Call<${record ?? "void"}>`;
    const body = `    return ${isList ? "pages" : "call"}(this, operations.${method}, { ${gives.join(", ")} }, options);\n`;
    const code = `${doc}  ${method}(${takes.join(", ")}): ${result} {\n${body}  }\n`;
    this.#sources.put(
      file,
      `${text.slice(0, at + 1)}${models}${text.slice(at + 1, end + 1)}\n${code}${text.slice(end + 1)}`,
    );
    this.#sources.import(file, models + code);
    this.left.add(`${file}: sentences and an example for ${row.id}`);
    this.left.add(`src/sandbox: what ${row.id} does, unless it is a plain read or write of its collection`);
    return null;
  }

  #operationGone(id: string): string | null {
    const method = id.split(".").at(-1) ?? "";
    const rows = this.#sources.rows(id);
    if (!rows[0]) return "take out its row, its method, the schemas that only it uses, and src/sandbox";
    const [{ file }] = rows as [Place];
    // Begins with the last one, so that the positions of the others stay valid.
    for (const { node } of rows.reverse()) this.#sources.remove(file, node.parent);
    const methods: ts.Node[] = [];
    visit(this.#sources.parse(file), (node) => {
      if (ts.isMethodDeclaration(node) && new RegExp(`perations\\.${method}\\b`).test(node.getText()))
        methods.push(node);
    });
    for (const node of methods.reverse()) this.#sources.replace(file, node.getFullStart(), node.getEnd(), "");
    this.left.add(`${file}: the notes of ${id} and the schemas that only it used; what it did in src/sandbox`);
    return null;
  }

  // A method that requires a query must not have a default for it.
  #requireQuery(file: string, id: string): void {
    const signature = new RegExp(`(\\n  ${id.split(".").at(-1)}\\([^)]*query: \\w+) = {}`);
    this.#sources.put(file, (this.#sources.texts.get(file) ?? "").replace(signature, "$1"));
    this.left.add(`${file}: the example of ${id}, which must send it; the tests of the sandbox that call it, too`);
  }

  // The first filter of a list needs a new query schema.
  #firstFilter({ of, name, spec }: Fact, { file, node }: Place): string | null {
    const method = of.split(".").at(-1) ?? "";
    const schema = propertyOf(node, "response")?.getText() ?? "";
    const signature = new RegExp(`(  ${method}\\([^)]*query: )(PagedQuery|PageQuery)\\b`);
    const lines = spec && this.#lines(file, { [name]: spec }, true);
    const type = `${upper(schema.replace(/Schema$/, ""))}${method === "list" ? "" : upper(method)}Query`;
    const [, , paging] = signature.exec(this.#sources.texts.get(file) ?? "") ?? [];
    if (!lines || !schema || !paging || this.#sources.literals(`${lower(type)}Schema`).length > 0)
      return "its row has no query schema";
    const row = this.#sources.row(of);
    if (row) this.#sources.insert(row, ` query: ${lower(type)}Schema,`);
    const text = (this.#sources.texts.get(file) ?? "")
      .replace(signature, `$1${type}`)
      .replace(new RegExp(`(extends ListedResource<\\w+, )${paging}>`), `$1${type}>`);
    const model = `export const ${lower(type)}Schema = /* @__PURE__ */ model(() => ({\n${lines}}));\n\n`;
    const doc = `/** FOLLOW: say what the filters are of. */\nexport interface ${type} extends z.input<typeof ${lower(type)}Schema>, ${paging} {}\n\n`;
    const at = text.search(/\nconst operations = /) + 1;
    this.#sources.put(file, text.slice(0, at) + model + doc + text.slice(at));
    this.#sources.import(file, model);
    this.left.add(`${file}: sentences for the first filter of ${of}`);
    if (spec.required) this.#requireQuery(file, of);
    return null;
  }

  #lines(file: string, fields: Specs, isQuery: boolean, types = SENT): string | null {
    const lines = Object.entries(fields).map(([name, spec]) => this.#line(file, name, spec, types, isQuery));
    return lines.includes(null) ? null : lines.join("");
  }
}
