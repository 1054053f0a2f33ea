import type { Fact } from "./compare.ts";
import type { Specs } from "./contract.ts";
import { SEEDS } from "./forms.ts";
import { columnsOf, propertyNodeOf } from "./literals.ts";
import type { Sources } from "./sources.ts";

/** Adds the sandbox's column for a new field, so that the drafts compile, or removes the column of a removed field. */
export function seedField(fact: Fact, facts: readonly Fact[], sources: Sources, left: Set<string>): void {
  const { kind, of, name, spec } = fact;
  const store = sources.texts.get("src/sandbox/data/store.ts") ?? "";
  const [, collection] = new RegExp(`readonly (\\w+): Collection<(?:sdk\\.)?(?:Admin)?${of}\\b`).exec(store) ?? [];
  for (const file of sources.texts.keys()) {
    if (!/^src\/sandbox\/(.*seed|organization\/views)/.test(file)) continue;
    const columns = columnsOf(sources.parse(file), collection, of);
    if (!columns) continue;
    const old = propertyNodeOf(columns, name);
    if (kind === "field gone" && old) sources.remove(file, old);
    if (kind !== "field new" || spec?.optional || old) return;
    const value = valueFor(spec?.type ?? "", facts, sources);
    if (value === null) break;
    sources.insert({ file, node: columns }, `    ${name}: () => ${value.startsWith("{") ? `(${value})` : value},\n`);
    left.add(`${file}: what ${of}.${name} is in the sandbox (drafted: ${value})`);
    return;
  }
  if (kind === "field new") left.add(`src/sandbox: ${of}.${name}, where the types name it`);
}

// Null for a type whose values are not known here, such as a record that is not new.
function valueFor(type: string, facts: readonly Fact[], sources: Sources): string | null {
  if (type.endsWith("|null")) return "null";
  const known = SEEDS[type.replace(/<.*/, "")];
  if (known !== undefined) return known;
  const fields = facts.find(({ of, all }) => of === type && all && !Array.isArray(all))?.all as Specs | undefined;
  if (!fields) return firstOf(type, sources);
  const always = Object.entries(fields).filter(([, { optional }]) => !optional);
  const values = always.map(([name, spec]) => [name, valueFor(spec.type, facts, sources)] as const);
  return values.some(([, value]) => value === null) ? null : `{ ${values.map((one) => one.join(": ")).join(", ")} }`;
}

function firstOf(enumeration: string, sources: Sources): string | null {
  const head = `export const ${enumeration} = `;
  const file = sources.fileOf(new RegExp(`${head}.*enumeration\\(`));
  const found = new RegExp(`${head}[^[]*\\[\\s*("[^"]*")`).exec((file && sources.texts.get(file)) ?? "");
  return found?.[1] ?? null;
}
