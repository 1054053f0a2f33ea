import { globSync, readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import ts from "typescript";
import { ROOT } from "../lib/generated.ts";
import { firstLiteral, propertyOf, visit } from "./literals.ts";

const HOMES: Readonly<Record<string, readonly string[]>> = {
  "core/operation": ["type PageQuery"],
  "core/schema/model": ["enumeration", "model", "ref"],
  "models/custom-fields": ["customFields"],
  "models/dates": ["date", "dateInput", "dateTime", "dateTimeInput"],
  "models/ids": ["identifier"],
  "models/lists": ["filterInput", "listInput"],
  "models/money": ["decimal", "decimalInput"],
  "resources/methods": ["type Call", "call", "type ListOptions", "type Pages", "pages", "type RequestOptions"],
};

export interface Place {
  readonly file: string;
  readonly node: ts.ObjectLiteralExpression;
  /** The function from which several schemas take these fields. */
  readonly shared?: string | undefined;
}

/** Finds and edits the rows and schemas in the source files to which drafts are written. */
export class Sources {
  readonly texts = new Map<string, string>();
  readonly changes = new Map<string, string>();

  constructor() {
    for (const file of globSync("src/{resources,models,sandbox}/**/*.ts", { cwd: ROOT }).sort())
      this.texts.set(file.replaceAll("\\", "/"), readFileSync(ROOT + file, "utf8"));
  }

  // A resource with one table per API has a row in each.
  rows(id: string): Place[] {
    const [resource = "", method] = [id.slice(0, id.lastIndexOf(".")), id.split(".").at(-1)];
    const file = this.fileOf(new RegExp(`operationTable\\(\\s*"${resource}",`));
    if (!file) return [];
    const found: Place[] = [];
    visit(this.parse(file), (node) => {
      if (!ts.isCallExpression(node) || node.expression.getText() !== "operationTable") return;
      const [name, , rows] = node.arguments;
      if (name?.getText() !== `"${resource}"` || !rows || !ts.isObjectLiteralExpression(rows)) return;
      const row = method ? propertyOf(rows, method) : rows;
      if (row && ts.isObjectLiteralExpression(row)) found.push({ file, node: row });
    });
    return found;
  }

  row(id: string): Place | null {
    const [row, ...others] = this.rows(id);
    return row && others.length === 0 ? row : null;
  }

  // The object that defines a schema, and the objects of the functions from which it takes fields.
  literals(schema: string): Place[] {
    const file = this.fileOf(new RegExp(`export const ${schema} = `));
    if (!file) return [];
    const source = this.parse(file);
    const found: Place[] = [];
    const seen = new Set<string>();
    const take = (name: string): void => {
      if (seen.has(name)) return;
      seen.add(name);
      visit(source, (node) => {
        if (!ts.isVariableDeclaration(node) || node.name.getText() !== name || !node.initializer) return;
        const literal = firstLiteral(node.initializer);
        if (literal) found.push({ file, node: literal, shared: name === schema ? undefined : name });
        visit(node.initializer, (inner) => {
          if (ts.isIdentifier(inner) && /(Fields|Path|Course)$/.test(inner.text)) take(inner.text);
        });
      });
    };
    take(schema);
    return found;
  }

  insert({ file, node }: Place, line: string): void {
    const text = this.texts.get(file) ?? "";
    const last = node.properties.at(-1)?.getEnd() ?? node.getStart() + 1;
    const comma = node.properties.length > 0 && !node.properties.hasTrailingComma ? "," : "";
    const inside = text.slice(last, node.getEnd() - 1).trimEnd();
    this.replace(file, last, node.getEnd() - 1, `${comma}${inside}\n${line}`);
  }

  // Removes a property with the comments above and after it.
  remove(file: string, node: ts.Node): void {
    const text = this.texts.get(file) ?? "";
    const [comment] = (ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []).filter(({ pos }) =>
      text.slice(node.getFullStart(), pos).includes("\n"),
    );
    const from = text.lastIndexOf("\n", comment?.pos ?? node.getStart());
    const line = text.indexOf("\n", node.getEnd());
    const rest = /^,?( *\/\/.*)?$/.exec(text.slice(node.getEnd(), line));
    this.replace(file, from, rest ? line : node.getEnd() + 1, "");
  }

  replace(file: string, from: number, to: number, text: string): void {
    const whole = this.texts.get(file) ?? "";
    this.put(file, whole.slice(0, from) + text + whole.slice(to));
  }

  put(file: string, text: string): void {
    this.texts.set(file, text);
    this.changes.set(file, text);
  }

  parse(file: string): ts.SourceFile {
    return ts.createSourceFile(file, this.texts.get(file) ?? "", ts.ScriptTarget.Latest, true);
  }

  fileOf(pattern: RegExp): string | null {
    return [...this.texts].find(([, text]) => pattern.test(text))?.[0] ?? null;
  }

  // Imports the names that code uses; Biome joins the imports of a module.
  import(file: string, code: string): void {
    if (/\bz\./.test(code))
      this.put(file, (this.texts.get(file) ?? "").replace("import type * as z ", "import * as z "));
    const imports = (this.texts.get(file) ?? "").matchAll(/^import (?:type )?\{([^}]*)\}/gm);
    const had = [...imports].map(([, names]) => names).join();
    for (const name of new Set(code.match(/\b[a-zA-Z]\w+\b/g))) {
      const home = Object.keys(HOMES).find((one) => HOMES[one]?.some((known) => known.replace("type ", "") === name));
      const declared = /Schema$/.test(name) || new RegExp(`\\b${name}(\\.|>\\()`).test(code);
      const from = home
        ? `src/${home}.ts`
        : declared
          ? this.fileOf(new RegExp(`^export (const|interface) ${name}\\b`, "m"))
          : null;
      if (!from || from === file || new RegExp(`\\b${name}\\b`).test(had)) continue;
      const path = relative(dirname(file), from).replaceAll("\\", "/").replace(/\.ts$/, ".js");
      const isType = home ? HOMES[home]?.includes(`type ${name}`) : new RegExp(`<${name}>`).test(code);
      const line = `import { ${isType ? "type " : ""}${name} } from "${path.startsWith(".") ? path : `./${path}`}";\n`;
      this.put(file, line + (this.texts.get(file) ?? ""));
    }
  }
}
