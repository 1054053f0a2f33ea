import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MethodLines, withMethodDocs } from "./method-docs.ts";

const DATES = readFileSync(new URL("../../src/models/dates.ts", import.meta.url), "utf8");
// The two fields that records take from `timestamps()`, with their texts: TypeScript writes no comment of another file.
const TIMESTAMPS = new Map(
  [...DATES.matchAll(/(\/\*\* .* \*\/)\n +(\w+_at): dateTime\(\)/g)].map(([, comment = "", field = ""]) => [
    field,
    comment,
  ]),
);

/** Completes the docstrings in the declarations of a folder, for those who see them in an editor. */
export function documentDeclarations(folder: string, methods: MethodLines): void {
  for (const { parentPath, name } of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!name.endsWith(".d.ts")) continue;
    const file = join(parentPath, name);
    const text = readFileSync(file, "utf8");
    const complete = withMethodDocs(documented(text), methods);
    if (complete !== text) writeFileSync(file, complete);
  }
}

/** Declarations with the docstrings that follow from names, so that no source has to write them. */
export function documented(declarations: string): string {
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
      // What is said of an enumeration holds for the type of its values.
      .replace(
        /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)export declare const (\w+): .*\n(?=export type \2 = \(typeof \2\.values\))/g,
        "$&$1",
      )
  );
}
