import { readFileSync } from "node:fs";
import {
  Application,
  type Comment,
  type CommentDisplayPart,
  type DeclarationReflection,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
} from "typedoc";
import ts from "typescript";
import entries from "../../entries.json" with { type: "json" };
import { ROOT } from "../lib/generated.ts";
import { guides } from "../lib/guides.ts";
import { chapterOf, MAIN_CHAPTERS } from "./chapters.ts";
import { COLUMN } from "./format.ts";
import { fieldList, plain } from "./markdown.ts";

const PACKAGE = "education-admin-sdk";

/** A page of the API: the names that one entry exports, or a chapter of the main entry. */
export interface EntryPage {
  /** Its path below docs/api, without an extension. */
  readonly path: string;
  readonly title: string;
  /** One sentence about its content. */
  readonly about: string;
  readonly text: string;
}

/**
 * Writes a page for each entry, from TypeDoc's docstrings and the declarations in the API reports.
 * @param shownElsewhere addresses of types and classes on the pages of resources, by name.
 */
export async function entryPages(shownElsewhere: ReadonlyMap<string, string>): Promise<EntryPage[]> {
  const project = await read();
  const pages = Object.entries(entries).flatMap(([entry, file]) => {
    const module = project.children?.find(({ name }) => file === `src/${name}.ts` || file === `src/${name}/index.ts`);
    if (!module) throw new Error(`TypeDoc has not read ${file}`);
    const declared = declarations(entry === "./schemas" ? builtFunctions(project, module) : reportOf(entry));
    const parts = Map.groupBy(module.children ?? [], (child) => pathOf(entry, chapter(project, child), target(child)));
    return [...parts].flatMap(([path, children]) => (path === null ? [] : [{ entry, path, declared, children }]));
  });
  const addresses = new Map(shownElsewhere);
  for (const { path, children } of pages)
    for (const { name } of children) if (!addresses.has(name)) addresses.set(name, `/docs/api/${path}.md#${name}`);
  return pages.map(({ entry, path, declared, children }) => {
    const title = titleOf(entry, path);
    // A value and a type with the same name share one section.
    const byName = Map.groupBy([...children].sort(byKind), ({ name }) => name);
    const shown = [...byName].map(([name, same]) => {
      const told = same.map(target);
      return section(
        told.find((one) => one.comment ?? one.signatures) ?? told[0],
        name,
        declared.get(name) ?? [],
        addresses,
      );
    });
    const about = entry === "." ? aboutChapter(path) : aboutEntry(entry);
    return { path, title, about, text: [`# ${title}`, about, guidesWith(title), ...shown].join("\n\n") };
  });
}

async function read(): Promise<ProjectReflection> {
  const app = await Application.bootstrap({ options: `${ROOT}typedoc.config.mjs` });
  const project = await app.convert();
  if (project) app.validate(project);
  if (!project || app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error("TypeDoc complains");
  return project;
}

// Sorts functions and classes that a program calls before types that it receives.
function byKind(one: DeclarationReflection, other: DeclarationReflection): number {
  const rank = (child: DeclarationReflection) => {
    const kinds = [ReflectionKind.Function, ReflectionKind.Class, ReflectionKind.Variable, ReflectionKind.Interface];
    const at = kinds.indexOf(target(child).kind);
    return at < 0 ? kinds.length : at;
  };
  return rank(one) - rank(other);
}

function target(child: DeclarationReflection): DeclarationReflection {
  return (child.isReference() ? child.getTargetReflectionDeep() : child) as DeclarationReflection;
}

function chapter(project: ProjectReflection, child: DeclarationReflection): string | undefined {
  const path = project.getSymbolIdFromReflection(target(child))?.packagePath;
  return path === undefined ? undefined : chapterOf(path);
}

// Exports of resources are on the resources' pages, and so are the fields of their schemas.
function pathOf(entry: string, chapter: string | undefined, { kind }: DeclarationReflection): string | null {
  if (entry === "./schemas" && kind !== ReflectionKind.Function) return null;
  if (entry !== ".") return entry.slice("./".length);
  return chapter === undefined || MAIN_CHAPTERS[chapter] === undefined ? null : mainPath(chapter);
}

function mainPath(chapter: string): string {
  return `main/${chapter.toLowerCase().replaceAll(" ", "-")}`;
}

function titleOf(entry: string, path: string): string {
  const name = PACKAGE + entry.slice(1);
  return entry === "." ? `${name}: ${path.slice("main/".length).replaceAll("-", " ")}` : name;
}

function aboutChapter(path: string): string {
  return Object.entries(MAIN_CHAPTERS).find(([chapter]) => mainPath(chapter) === path)?.[1] ?? "";
}

// The first sentence of the entry's file.
function aboutEntry(entry: string): string {
  const file = readFileSync(ROOT + entries[entry as keyof typeof entries], "utf8");
  const [, comment = ""] = /^\/\*\*([\s\S]*?)\*\//.exec(file) ?? [];
  const text = comment.replace(/\s*\n \* ?/g, " ").trim();
  const rest = text.replace(/^The `.*?` entry: /, "");
  return plain(rest.charAt(0).toUpperCase() + rest.slice(1));
}

function guidesWith(name: string): string {
  const using = guides().filter(({ file }) => readFileSync(ROOT + file, "utf8").includes(`from "${name}"`));
  const links = using.map(({ title, file }) => `[${title}](/${file})`);
  return links.length === 0 ? "" : `In guides: ${links.join(", ")}.`;
}

function reportOf(entry: string): string {
  const name = entry === "." ? "index" : entry.slice("./".length).replaceAll("/", "-");
  const report = readFileSync(`${ROOT}api/${name}.api.md`, "utf8");
  return /```ts\n([\s\S]*?)\n```/.exec(report)?.[1] ?? "";
}

// ./schemas has no report, so the declarations of its functions come from the build.
function builtFunctions(project: ProjectReflection, { children = [] }: DeclarationReflection): string {
  const functions = children.map(target).filter((child) => child.kindOf(ReflectionKind.Function));
  const files = new Set(functions.map((child) => project.getSymbolIdFromReflection(child)?.packagePath ?? ""));
  return [...files].map((file) => readFileSync(ROOT + file.replace(/^src(.*)ts$/, "dist$1d.ts"), "utf8")).join("\n");
}

/** Returns the declarations in code by name, with all overloads of a function together. */
function declarations(code: string): ReadonlyMap<string, readonly ts.Statement[]> {
  // The report renames a declaration that shares its name with a global.
  const text = [...code.matchAll(/^export \{ (\w+) as (\w+) \}/gm)].reduce(
    (all, [, name = "", exported = ""]) => all.replaceAll(name, exported),
    code,
  );
  const file = ts.createSourceFile("report.d.ts", text, ts.ScriptTarget.Latest, true);
  const named = file.statements.flatMap((statement) => {
    const name = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations[0]?.name.getText()
      : (statement as unknown as { readonly name?: ts.Identifier }).name?.text;
    return name === undefined ? [] : [{ name, statement }];
  });
  return new Map(
    [...Map.groupBy(named, ({ name }) => name)].map(([name, all]) => [name, all.map(({ statement }) => statement)]),
  );
}

type Addresses = ReadonlyMap<string, string>;

function section(
  told: DeclarationReflection | undefined,
  name: string,
  declared: readonly ts.Statement[],
  addresses: Addresses,
): string {
  const { comment, signatures, children = [] } = told ?? {};
  const [first] = declared;
  if (!comment && !signatures) throw new Error(`${name} has no docstring`);
  const said = signatures?.[0] ?? null;
  const members =
    first && (ts.isClassDeclaration(first) || ts.isInterfaceDeclaration(first))
      ? first.members.flatMap((member) => memberLine(member, children, addresses))
      : null;
  const parameters = (said?.parameters ?? []).flatMap(({ name, comment }) =>
    comment ? `- **\`${name}\`** ${renderParts(comment.summary, addresses)}` : [],
  );
  return [
    `## ${heading(name, first)} {#${name}}`,
    ...commentLines(said?.comment ?? comment, addresses),
    members === null
      ? code(declared.map(declarationOf).join("\n"))
      : code(headOf(first as ts.ClassDeclaration | ts.InterfaceDeclaration)),
    parameters.length === 0 ? "" : fieldList(parameters),
    members === null || members.length === 0 ? "" : fieldList(members),
    ...examples(said?.comment ?? comment),
    ...children.flatMap((child) =>
      child.inheritedFrom ? [] : examples(child.comment ?? child.signatures?.[0]?.comment),
    ),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function heading(name: string, declared: ts.Statement | undefined): string {
  if (!declared || !ts.isFunctionDeclaration(declared)) return name;
  return `${name}(${declared.parameters.map((one) => one.name.getText() + (one.questionToken ? "?" : "")).join(", ")})`;
}

// A function that does not fit on one line gets one line per parameter.
function declarationOf(declared: ts.Statement): string {
  const text = declared.getText().replace(/^export (declare )?/, "");
  if (text.length <= COLUMN || !ts.isFunctionDeclaration(declared)) return text;
  const parameters = declared.parameters.map((one) => `  ${one.getText()},\n`).join("");
  const whole = declared.getText();
  const before = whole.slice(0, declared.parameters.pos - declared.getStart()).replace(/^export (declare )?/, "");
  return `${before}\n${parameters}${whole.slice(declared.parameters.end - declared.getStart())}`;
}

// Leaves out the members, which follow with their docstrings.
function headOf(declared: ts.ClassDeclaration | ts.InterfaceDeclaration): string {
  const text = declared.getText();
  const head = text.slice(0, (declared.members.pos ?? 0) - declared.getStart());
  return `${head.replace(/^export (declare )?/, "").replace(/\s*\{\s*$/, "")}`;
}

function memberLine(
  member: ts.ClassElement | ts.TypeElement,
  children: readonly DeclarationReflection[],
  addresses: Addresses,
): string[] {
  const name = member.name?.getText() ?? "constructor";
  const modifiers = ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : [];
  if (modifiers.some(({ kind }) => kind === ts.SyntaxKind.ProtectedKeyword) || name.startsWith("#")) return [];
  const child = children.find((one) => one.name === name);
  const comment = child?.comment ?? child?.signatures?.[0]?.comment ?? child?.getSignature?.comment;
  const isStatic = modifiers.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) ? "static " : "";
  const text = [...commentLines(comment, addresses)].join(" ").replaceAll("\n\n", " ").replaceAll("\n", " ");
  return [`- ${isStatic}**\`${name}\`** ${typeText(member, addresses)}${text ? `<br>${text}` : ""}`];
}

function typeText(member: ts.ClassElement | ts.TypeElement, addresses: Addresses): string {
  const { type } = member as unknown as { readonly type?: ts.TypeNode };
  const isOptional = (member as ts.PropertySignature).questionToken !== undefined;
  if (ts.isPropertySignature(member) || ts.isPropertyDeclaration(member) || ts.isGetAccessor(member)) {
    const text = oneLine(type?.getText() ?? "unknown").replace(isOptional ? / \| undefined$/ : /$^/, "");
    return `${linkTypes(text, addresses)}${isOptional ? " *optional*" : ""}`;
  }
  const from = member.name?.end ?? member.getStart() + (ts.isConstructorDeclaration(member) ? "constructor".length : 0);
  return linkTypes(oneLine(member.getSourceFile().text.slice(from, member.end).replace(/;$/, "")), addresses);
}

function linkTypes(text: string, addresses: Addresses): string {
  const code = `\`${text}\``;
  const names = [...new Set(text.match(/\b[A-Z]\w+/g) ?? [])].filter((name) => addresses.has(name));
  const told =
    names.find((name) => addresses.get(name)?.includes("/resources/")) ?? (names.length === 1 ? names[0] : undefined);
  return told === undefined ? code : `[${code}](${addresses.get(told)})`;
}

function commentLines(comment: Comment | undefined, addresses: Addresses): string[] {
  if (!comment) return [];
  const tags = (name: `@${string}`, title: string) =>
    comment.getTags(name).map(({ content }) => `${title} ${renderParts(content, addresses)}`);
  return [
    renderParts(comment.summary, addresses),
    ...tags("@remarks", ""),
    ...tags("@deprecated", "Deprecated:"),
    ...tags("@returns", "Returns"),
    ...tags("@throws", "Throws"),
  ].map((text) => text.trim());
}

function examples(comment: Comment | undefined): string[] {
  return (comment?.getTags("@example") ?? []).map(({ content }) =>
    content
      .map(({ text }) => text)
      .join("")
      .trim()
      .replace(/^```ts\n/, "```ts example\n"),
  );
}

function renderParts(parts: readonly CommentDisplayPart[], addresses: Addresses): string {
  return parts
    .map((part) => {
      if (part.kind === "text") return plain(part.text);
      if (part.kind !== "inline-tag") return part.text;
      const address = addresses.get(nameOf(part.target) ?? part.text);
      return address === undefined ? `\`${part.text}\`` : `[\`${part.text}\`](${address})`;
    })
    .join("")
    .trim();
}

function nameOf(target: unknown): string | undefined {
  return (target as Reflection | undefined)?.name;
}

function code(text: string): string {
  return `\`\`\`typescript\n${text.replace(/^ *\/\/ \(undocumented\)\n/gm, "")}\n\`\`\``;
}

function oneLine(text: string): string {
  return text
    .replace(/\/\/.*$/gm, "")
    .replace(/\s+/g, " ")
    .trim();
}
