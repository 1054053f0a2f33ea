import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { ROOT } from "./generated.ts";

/** Exports of a module under `src/resources` or `src/models`, by kind. */
export interface ModuleExports {
  /** Path below `src` without the extension, such as `resources/people/labels`. */
  readonly path: string;
  readonly classes: readonly string[];
  /** Interfaces and type aliases, including those of enumerations, which share their name with a value. */
  readonly types: readonly string[];
  readonly schemas: readonly string[];
  readonly enumerations: readonly string[];
  readonly tables: readonly TableExport[];
}

export interface TableExport {
  /** The name under which the table is exported, such as `labelOperations`. */
  readonly name: string;
  /** Name of its notes for the documentation; null if there are none. */
  readonly notes: string | null;
  readonly resource: string;
  /** Constants that name the APIs of its rows, such as `BOTH`. */
  readonly apis: readonly string[];
  /** Names of its rows, such as `list`. */
  readonly rows: readonly string[];
}

/** Reads the exports of every resource and model, ordered by path, without running them. */
export function readExports(): ModuleExports[] {
  return ["models", "resources"].flatMap(sourcesIn).map(readModule);
}

/** The files of a folder below `src`, in the order of their paths. */
export function sourcesIn(folder: string): ts.SourceFile[] {
  return readdirSync(`${ROOT}src/${folder}`, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => `src/${folder}/${name}`)
    .map((file) => ts.createSourceFile(file, readFileSync(ROOT + file, "utf8"), ts.ScriptTarget.Latest, true));
}

function readModule(source: ts.SourceFile): ModuleExports {
  const path = source.fileName.slice("src/".length, -".ts".length);
  const declarations = source.statements.filter(ts.isVariableStatement).flatMap((statement) =>
    statement.declarationList.declarations.map((declaration) => ({
      name: declaration.name.getText(source),
      initializer: declaration.initializer,
      exported: isExported(statement),
    })),
  );
  const exported = declarations.filter((declaration) => declaration.exported);
  const namesOf = (accept: (node: ts.Statement) => node is ts.DeclarationStatement) =>
    source.statements
      .filter(accept)
      .flatMap((node) => (isExported(node) && node.name ? [node.name.getText(source)] : []));
  const notes = new Set(exported.map(({ name }) => name).filter((name) => name.endsWith("Notes")));
  const tables = exported.flatMap(({ name, initializer }): TableExport[] => {
    const typed = declarations.find((declaration) => declaration.name === initializer?.getText(source));
    if (!typed || calleeOf(typed.initializer) !== "operationTable") return [];
    const [resource, , rows] = (typed.initializer as ts.CallExpression).arguments;
    if (!resource || !ts.isStringLiteral(resource) || !rows || !ts.isObjectLiteralExpression(rows)) {
      throw new Error(`${path}: a table must be written out where it is declared`);
    }
    const beside = name.replace(/Operations$/, "Notes");
    return [
      {
        name,
        notes: notes.has(beside) ? beside : null,
        resource: resource.text,
        apis: [...(typed.initializer as ts.CallExpression).getText(source).matchAll(/\bapis: (\w+)/g)].map(
          ([, constant]) => constant as string,
        ),
        rows: rows.properties.map((row) => row.name?.getText(source) ?? ""),
      },
    ];
  });
  return {
    path,
    classes: namesOf(ts.isClassDeclaration),
    types: namesOf((node): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration => {
      return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
    }),
    schemas: exported.map(({ name }) => name).filter((name) => name.endsWith("Schema")),
    enumerations: exported.filter(({ initializer }) => calleeOf(initializer) === "enumeration").map(({ name }) => name),
    tables,
  };
}

function calleeOf(node: ts.Expression | undefined): string | null {
  return node && ts.isCallExpression(node) && ts.isIdentifier(node.expression) ? node.expression.text : null;
}

/** Whether a statement exports its declaration. */
export function isExported(node: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}
