import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MethodLines, withMethodDocs } from "./method-docs.ts";

const DATES = readFileSync(new URL("../../src/models/dates.ts", import.meta.url), "utf8");
// Docstrings of the two fields that records take from `timestamps()`, because TypeScript does not copy comments from
// another file.
const TIMESTAMPS = new Map(
  [...DATES.matchAll(/(\/\*\* .* \*\/)\n +(\w+_at): dateTime\(\)/g)].map(([, comment = "", field = ""]) => [
    field,
    comment,
  ]),
);

/**
 * Adds docstrings and schema names to the declarations of a folder, for editors and for programs that emit
 * declarations.
 */
export function documentDeclarations(folder: string, methods: MethodLines): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const named = new Set<string>();
  for (const { parentPath, name } of files) {
    if (!name.endsWith(".d.ts")) continue;
    const file = join(parentPath, name);
    const text = readFileSync(file, "utf8");
    const complete = withNamedSchemas(withoutPrivates(withMethodDocs(addDerivedDocs(text), methods)), named);
    if (complete !== text) writeFileSync(file, complete);
  }
  const list = join(folder, "generated/schemas.d.ts");
  const exported = readFileSync(list, "utf8").replace(/\b\w+Schema\b/g, (name) =>
    named.has(name) ? `${name}, type ${typeNameOf(name)}` : name,
  );
  writeFileSync(list, exported);
}

/** Removes private members, so that classes from two copies of the package are compatible. */
export function withoutPrivates(declarations: string): string {
  return declarations.replace(/^ +#private;\n/gm, "");
}

/**
 * Gives the type of every schema a name. In the declarations of a package that exports one of the schemas, this name
 * then replaces zod's types, which an install without hoisting cannot reach.
 * @param named collects the names of the schemas.
 */
export function withNamedSchemas(declarations: string, named: Set<string>): string {
  return declarations.replace(
    /^export declare const (\w+Schema): (z\.ZodMini(?:Object|Type)<[\s\S]*?>);\n(?=export|declare|\/\*\*|$)/gm,
    (_, name: string, type: string) => {
      named.add(name);
      const its = typeNameOf(name);
      return `export declare const ${name}: ${its};\n/** Type of {@link ${name}}. */\nexport interface ${its} extends ${type} {}\n`;
    },
  );
}

function typeNameOf(schema: string): string {
  return `${schema.slice(0, 1).toUpperCase()}${schema.slice(1)}`;
}

/** Adds the docstrings that can be derived from names, so that the sources need not contain them. */
export function addDerivedDocs(declarations: string): string {
  return (
    declarations
      .replace(/(?<!\*\/\n)^( +)(\w+_at): z\.ZodMiniType</gm, (field, indent: string, name: string) => {
        const comment = TIMESTAMPS.get(name);
        return comment === undefined ? field : `${indent}${comment}\n${field}`;
      })
      // `accountSchema` describes `Account`.
      .replace(
        /(?<!\*\/\n)^export declare const (\w)(\w*)Schema:/gm,
        (declaration, first: string, rest: string) =>
          `/** Schema of {@link ${first.toUpperCase()}${rest}}. */\n${declaration}`,
      )
      // An enumeration's docstring also describes the type of its values.
      .replace(
        /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)export declare const (\w+): .*\n(?=export type \2 = \(typeof \2\.values\))/g,
        "$&$1",
      )
  );
}
