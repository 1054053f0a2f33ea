import ts from "typescript";
import type * as Core from "../../src/core/operation.ts";

type Operation = Core.Operation;
/** The first docstring line of each method, by the names of its class and itself. */
export type MethodLines = ReadonlyMap<string, Readonly<Record<string, string | undefined>>>;
/** The class of a resource with the table of its methods. */
export interface ResourceClass {
  readonly name: string;
  readonly prototype: object;
  readonly operations: Core.OperationTable;
}

const PAGED = {
  "cursor+page": "pages by cursor",
  cursor: "pages by cursor",
  none: "one page",
} as const satisfies Record<NonNullable<Operation["paged"]>, string>;

/**
 * Adds facts from the table rows to the docstrings of a resource's methods, for editors: HTTP, APIs, scopes and paging.
 * Adds descriptions to parameters that have none.
 */
export function withMethodDocs(declarations: string, methods: MethodLines): string {
  const file = ts.createSourceFile("resource.d.ts", declarations, ts.ScriptTarget.Latest, true);
  const sentences = sentencesOf(file);
  const edits: { readonly at: number; readonly end: number; readonly text: string }[] = [];
  for (const statement of file.statements) {
    if (!ts.isClassDeclaration(statement) || !statement.name) continue;
    const base = statement.heritageClauses?.[0]?.types[0]?.expression.getText();
    // A method that overrides another one and has the same row gets the base class's line.
    const lines = { ...methods.get(base ?? ""), ...methods.get(statement.name.text) };
    for (const member of statement.members) {
      if (!ts.isMethodDeclaration(member) || !ts.isIdentifier(member.name)) continue;
      const line = lines[member.name.text];
      const doc = ts.getJSDocCommentsAndTags(member).find(ts.isJSDoc);
      if (line === undefined || !doc) continue;
      edits.push({
        at: doc.pos,
        end: doc.end,
        text: docstring(doc.getText(file), line, textsOf(member, doc, sentences)),
      });
    }
  }
  return edits.reduceRight((text, { at, end, text: doc }) => text.slice(0, at) + doc + text.slice(end), declarations);
}

/**
 * Returns the first docstring line of every method.
 * @param all every row, because a class for one API inherits methods whose rows no class lists.
 * @param core the built `core/operation`, because a build does not import the sources.
 */
export function methodLines(
  classes: readonly ResourceClass[],
  all: readonly Operation[],
  core: typeof Core,
): MethodLines {
  const own = classes.map(({ name, prototype, operations }) => ({
    name,
    rows: Object.entries(operations).filter(([method]) => Object.hasOwn(prototype, method)),
  }));
  const named = new Set(own.flatMap(({ rows }) => rows.map(([, row]) => row)));
  const inherited = all.filter((row) => !named.has(row));
  const lineOf = (row: Operation) => httpLine([row, ...inherited.filter(({ id }) => id === row.id)], core);
  return new Map(
    own.map(({ name, rows }) => [name, Object.fromEntries(rows.map(([method, row]) => [method, lineOf(row)]))]),
  );
}

/** `GET /api/v1/accounts` · Main and Admin API · scope `relations:read` · pages by cursor */
export function httpLine(rows: readonly [Operation, ...Operation[]], core: typeof Core): string {
  const { API_NAME, API_PREFIX, isBetaIn, scopesIn } = core;
  const [{ method, path, paged, feature }] = rows;
  const offers = rows.flatMap((row) => row.apis.map((api) => ({ row, api })));
  const apis = offers.map(({ api }) => api);
  const names = (among: readonly Core.Api[]) => among.map((api) => API_NAME[api]).join(" and ");
  const inBeta = offers.filter(({ row, api }) => isBetaIn(row, api)).map(({ api }) => api);
  const scopes = new Map(offers.map(({ row, api }) => [scopesText(scopesIn(row, api), row.anyScope), api]));
  return [
    `\`${method} /${API_PREFIX[apis[0] ?? "main"]}/${path}\``,
    `${names(apis)} API`,
    [...scopes].map(([text, api]) => (scopes.size === 1 ? text : `${API_NAME[api]}: ${text}`)).join(", "),
    ...(paged ? [PAGED[paged]] : []),
    ...(inBeta.length === 0 ? [] : [inBeta.length === apis.length ? "beta" : `beta in the ${names(inBeta)} API`]),
    ...(feature ? [`\`${feature}\` feature flag`] : []),
  ].join(" · ");
}

function scopesText(scopes: readonly string[] | undefined, anyScope: true | undefined): string {
  if (!scopes) return "scope not documented";
  const names = scopes.map((scope) => `\`${scope}\``);
  if (names.length < 2) return names.length === 0 ? "any token" : `scope ${names[0]}`;
  return `scopes ${names.join(anyScope ? " or " : " and ")}`;
}

function docstring(text: string, first: string, parameters: readonly string[]): string {
  // Parameters come before the example, which ends the docstring.
  const lines = text
    .replace(/^\/\*\*\s*(\* )?|\s*\*\/$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""));
  const tag = lines.findIndex((line) => line.startsWith("@"));
  const end = tag < 0 ? lines.length : tag;
  const all = [first, "", ...lines.slice(0, end), ...parameters, ...lines.slice(end)];
  return `/**\n${all.map((line) => `     * ${line}`.trimEnd()).join("\n")}\n     */`;
}

/** Returns `@param` lines for the parameters that have none. */
function textsOf(method: ts.MethodDeclaration, doc: ts.JSDoc, sentences: ReadonlyMap<string, string>): string[] {
  const told = new Set((doc.tags ?? []).flatMap((tag) => (ts.isJSDocParameterTag(tag) ? [tag.name.getText()] : [])));
  return method.parameters.flatMap(({ name, type }) => {
    const text = told.has(name.getText()) ? null : textOf(name.getText(), type?.getText() ?? "", sentences);
    return text === null ? [] : [`@param ${name.getText()} ${text}`];
  });
}

function textOf(name: string, type: string, sentences: ReadonlyMap<string, string>): string {
  const [, named = type] = /^OnlyInput<(\w+)/.exec(type) ?? [];
  const sentence = sentences.get(named);
  if (name === "options")
    return type === "ListOptions"
      ? "For this list only: `resume`, `prefetch`, `maxPages`, `signal`, timeouts, retries, headers."
      : "For this call only: `signal`, timeouts, retries, headers, `validation`, `priority`.";
  if (sentence !== undefined) return sentence;
  if (name === "id") return "Identifier of the record.";
  if (name.endsWith("Id")) return `Identifier of the ${words(name.slice(0, -2))}.`;
  if (name.endsWith("Slug")) return `Slug of the ${words(name.slice(0, -4))}.`;
  if (name === "query") return "`per_page` and `cursor`; a loop over the list needs neither.";
  if (name === "body") return "The fields to send.";
  if (name === "objectType") return "Kind of the records.";
  return `Identifies the record: ${[...type.matchAll(/(\w+): /g)].map(([, field]) => `\`${field}\``).join(" and ")}.`;
}

function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** The texts of the docstrings of a file's interfaces. */
function sentencesOf(file: ts.SourceFile): ReadonlyMap<string, string> {
  return new Map(
    file.statements.filter(ts.isInterfaceDeclaration).flatMap((declaration) => {
      const doc = ts.getJSDocCommentsAndTags(declaration).find(ts.isJSDoc);
      const comment = ts.getTextOfJSDocComment(doc?.comment);
      return comment ? [[declaration.name.text, comment.replace(/\s+/g, " ")] as const] : [];
    }),
  );
}
