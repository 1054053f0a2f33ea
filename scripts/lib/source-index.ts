import ts from "typescript";
import { API_NAME, type Api, resourceNameOf, rowNameOf } from "../../src/core/operation.ts";
import { isExported, sourcesIn } from "./source-exports.ts";

/** A parsed docstring. */
export interface Docstring {
  /** Text without tags, one line per paragraph. */
  readonly text: string;
  readonly beta: boolean;
  /** Text of `@deprecated`; null if not deprecated. */
  readonly deprecated: string | null;
  readonly example: string | null;
  /** Texts of `@throws`, in order. */
  readonly throws: readonly string[];
}

/** A method of a resource class, from its source. */
export interface MethodSource extends Docstring {
  /** Names of the parameters except the options; an optional one ends in a question mark. */
  readonly parameters: readonly string[];
}

/** A field of a schema, from its source. */
export interface FieldSource extends Docstring {
  /** Comment at the end of the field's line, which names its class; null without one. */
  readonly mark: string | null;
}

/** A schema, from its source. */
export interface SchemaSource extends Docstring {
  readonly fields: ReadonlyMap<string, FieldSource>;
}

/** Docstrings and comments of clients, methods and schemas. */
export interface SourceIndex {
  /** The method of an operation on an API's client. */
  method(api: Api, id: string): MethodSource | undefined;
  /** Docstring of the class of a client's resource. */
  resource(api: Api, resource: string): Docstring | undefined;
  /** Docstring of a class by its name, such as `Accounts` or `Call`. */
  class(name: string): Docstring | undefined;
  /** An exported schema or enumeration by its name, such as `accountSchema` or `AccountType`. */
  schema(name: string): SchemaSource | undefined;
}

interface ClassSource extends Docstring {
  readonly base: string | null;
  /** Class of each property, such as `Orders` for `readonly orders = new Orders(…)`. */
  readonly properties: ReadonlyMap<string, string>;
  readonly methods: ReadonlyMap<string, MethodSource>;
}

const CLIENTS: Record<Api, string> = { main: "MainClient", admin: "AdminClient", organization: "OrganizationClient" };

/** The method of an operation on an API's client. @throws Error if there is none. */
export function methodOf(sources: SourceIndex, api: Api, id: string): MethodSource {
  const method = sources.method(api, id);
  if (!method) throw new Error(`${id}: the ${API_NAME[api]} client has no such method in src`);
  return method;
}

let known: SourceIndex | undefined;

/** Reads the sources with the TypeScript API, once per process, without running them. */
export function readSources(): SourceIndex {
  known ??= indexSources();
  return known;
}

function indexSources(): SourceIndex {
  const classes = new Map<string, ClassSource>();
  const schemas = new Map<string, SchemaSource>();
  const models = sourcesIn("models");
  for (const source of [...["clients", "resources", "core/call", "core/lists"].flatMap(sourcesIn), ...models]) {
    for (const statement of source.statements) {
      if (ts.isClassDeclaration(statement) && statement.name) {
        classes.set(statement.name.text, readClass(statement, source));
      } else if (ts.isVariableStatement(statement) && isExported(statement)) {
        for (const { name, initializer } of statement.declarationList.declarations) {
          if (!initializer || !ts.isCallExpression(initializer) || !ts.isIdentifier(name)) continue;
          const shape = initializer.arguments[0];
          // A schema's docstring is on its interface.
          const described = interfaceOf(name.text, source) ?? statement;
          schemas.set(name.text, { ...docstring(described), fields: shape ? fieldsOf(shape, models) : new Map() });
        }
      }
    }
  }
  // A member of a class or of its base class.
  const find = <T>(name: string | null | undefined, pick: (of: ClassSource) => T | undefined): T | undefined => {
    const found = name ? classes.get(name) : undefined;
    return found && (pick(found) ?? find(found.base, pick));
  };
  const classOf = (api: Api, resource: string) =>
    find(CLIENTS[api], (client) => client.properties.get(resource.replace(/^organization\./, "")));
  return {
    method: (api, id) => find(classOf(api, resourceNameOf(id)), (resource) => resource.methods.get(rowNameOf(id))),
    resource: (api, resource) => classes.get(classOf(api, resource) ?? ""),
    class: (name) => classes.get(name),
    schema: (name) => schemas.get(name),
  };
}

function readClass(node: ts.ClassDeclaration, source: ts.SourceFile): ClassSource {
  const properties = new Map<string, string>();
  const methods = new Map<string, MethodSource>();
  for (const member of node.members) {
    const made = ts.isPropertyDeclaration(member) && member.initializer && withoutType(member.initializer);
    if (made && ts.isNewExpression(made)) {
      properties.set(member.name?.getText(source) ?? "", made.expression.getText(source));
    } else if (ts.isMethodDeclaration(member)) {
      methods.set(member.name.getText(source), {
        ...docstring(member),
        parameters: member.parameters
          .filter((parameter) => parameter.name.getText(source) !== "options")
          .map((parameter) => parameter.name.getText(source) + (parameter.initializer ? "?" : "")),
      });
    }
  }
  const base = node.heritageClauses?.find((clause) => clause.token === ts.SyntaxKind.ExtendsKeyword)?.types[0];
  return { ...docstring(node), base: base?.expression.getText(source) ?? null, properties, methods };
}

// `new Accounts(transport)` of `new Accounts(transport) as …`.
function withoutType(expression: ts.Expression): ts.Expression {
  return ts.isAsExpression(expression) ? withoutType(expression.expression) : expression;
}

function interfaceOf(schema: string, source: ts.SourceFile): ts.InterfaceDeclaration | undefined {
  return source.statements
    .filter(ts.isInterfaceDeclaration)
    .find((node) => node.heritageClauses?.some((clause) => clause.getText(source).includes(`<typeof ${schema}>`)));
}

/**
 * The fields of a shape: `() => ({ … })`, `() => partial({ … })` or `() => partial(fields())`, or the name of a function
 * that returns one, in the same file or among the models. A shape may spread `fields()` or `partial(fields())`.
 */
export function fieldsOf(shape: ts.Node, models: readonly ts.SourceFile[]): Map<string, FieldSource> {
  const fields = new Map<string, FieldSource>();
  for (const property of shapeLiteral(shape, models)?.properties ?? []) {
    const spread = ts.isSpreadAssignment(property) && withoutPartial(property.expression);
    if (spread && ts.isCallExpression(spread)) {
      for (const [name, doc] of fieldsOf(spread.expression, models)) fields.set(name, doc);
    } else if (property.name) {
      fields.set(property.name.getText(), { ...docstring(property), mark: markOf(property) });
    }
  }
  return fields;
}

function markOf(property: ts.Node): string | null {
  return (
    /^,?[ \t]*\/\/ (\w+)$/m.exec(property.getSourceFile().text.slice(property.end).split("\n", 1)[0] ?? "")?.[1] ?? null
  );
}

function shapeLiteral(shape: ts.Node, models: readonly ts.SourceFile[]): ts.ObjectLiteralExpression | undefined {
  if (ts.isIdentifier(shape)) {
    const declared = [shape.getSourceFile(), ...models]
      .flatMap(({ statements }) => statements.filter(ts.isVariableStatement))
      .flatMap((statement) => [...statement.declarationList.declarations])
      .find(({ name }) => name.getText() === shape.text);
    return declared?.initializer && shapeLiteral(declared.initializer, models);
  }
  if (!ts.isArrowFunction(shape)) return undefined;
  const body = ts.isParenthesizedExpression(shape.body) ? shape.body.expression : shape.body;
  const inner = withoutPartial(body);
  if (inner && ts.isCallExpression(inner)) return shapeLiteral(inner.expression, models);
  return inner && ts.isObjectLiteralExpression(inner) ? inner : undefined;
}

// `fields()` of `partial(fields())`.
function withoutPartial(node: ts.Node): ts.Node | undefined {
  return ts.isCallExpression(node) && node.expression.getText() === "partial" ? node.arguments[0] : node;
}

function docstring(node: ts.Node): Docstring {
  const comment = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1);
  const tag = (name: string) => comment?.tags?.find(({ tagName }) => tagName.text === name);
  const deprecated = tag("deprecated");
  const example = tag("example");
  return {
    text: plain(comment?.comment),
    beta: tag("beta") !== undefined,
    deprecated: deprecated ? plain(deprecated.comment) : null,
    example: example ? (ts.getTextOfJSDocComment(example.comment) ?? "") : null,
    throws: (comment?.tags ?? [])
      .filter(({ tagName }) => tagName.text === "throws")
      .map((thrown) => ts.getTextOfJSDocComment(thrown.comment) ?? ""),
  };
}

// A line break within a paragraph only wraps the source. Links become the names that they show.
function plain(comment: ts.JSDoc["comment"]): string {
  const text = ts.getTextOfJSDocComment(comment) ?? "";
  return text
    .replace(/\{@link (\S+?)\}/g, "$1")
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replace(/\s*\n\s*/g, " ").trim())
    .join("\n\n");
}
