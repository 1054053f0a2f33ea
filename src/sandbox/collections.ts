import type * as z from "zod/mini";
import { resourceNameOf } from "../core/operation.js";
import { model, type Schema } from "../core/schema/model.js";
import { fieldsOf, traitsOf, unwrap } from "../core/schema/traits.js";
import { allOperations } from "../operations.js";
import { SAMPLE_SCHOOL } from "./custom/definitions.js";
import type { RelatedByName, Seed } from "./data/domain.js";
import { mannersOf } from "./data/manners.js";
import { KINDS, referencesIn } from "./data/references.js";
import type { CollectionName, Store } from "./data/store.js";
import { countsOf } from "./data/world.js";
import { seedsOf } from "./domains.js";

/** Properties of a collection that all sandboxes share. */
export interface CollectionFacts {
  readonly schema: Schema;
  /** The collection to which each identifier field refers. */
  readonly targets: RelatedByName;
  /** `targets` without the record's own identifier: nested parts may refer to the record before it exists. */
  readonly others: RelatedByName;
}

let known: ReadonlyMap<CollectionName, CollectionFacts> | undefined;

export function factsOf(name: CollectionName): CollectionFacts {
  return allFacts().get(name) as CollectionFacts;
}

/** The facts about every collection; each collection follows those to which it refers. */
export function allFacts(): ReadonlyMap<CollectionName, CollectionFacts> {
  known ??= inOrder(deriveFacts());
  return known;
}

function deriveFacts(): Map<CollectionName, CollectionFacts> {
  const world = { counts: countsOf(1), school: SAMPLE_SCHOOL, store: {} as Store, manners: mannersOf() };
  const seeds = Object.entries(seedsOf(world)) as unknown as [CollectionName, Seed<never>][];
  return new Map(
    seeds.map(([name, { stored }]) => {
      const targets = referencesIn(name);
      const { [`${name.replace(/s$/, "")}_id`]: _, ...others } = targets;
      return [name, { schema: storedSchema(name, stored?.()), targets, others }];
    }),
  );
}

// rule: a record is returned in its most complete form, with `payments`, `course_tab_contents` and so on; fields that
// the service description does not show are taken from other public sources.

// The response schema with the most fields, preferably of a read, plus the fields that only the store has.
function storedSchema(name: string, more: z.core.$ZodShape | undefined): Schema {
  const size = (schema: Schema | undefined) => Object.keys(fieldsOf(schema)).length;
  const operations = allOperations.filter(({ id, response }) => resourceNameOf(id) === name && response);
  const reading = operations.filter(({ id }) => /\.(get|list)$/.test(id));
  const shown = (reading.length > 0 ? reading : operations)
    .map(({ response }) => response)
    .reduce((fullest, each) => (size(each) > size(fullest) ? each : fullest), undefined);
  if (shown && !more) return shown;
  return model(() => ({ ...(fieldsOf(shown) as z.core.$ZodShape), ...more }));
}

// Puts each collection after those to which it refers. Collections that are ready are added in this order: those
// without a reference by kind (such as `commentable_id`), those to which a remaining collection refers, those that can
// be referred to by kind, all others.
function inOrder(facts: ReadonlyMap<CollectionName, CollectionFacts>): Map<CollectionName, CollectionFacts> {
  const left = new Map([...facts].map(([name, each]) => [name, referredBy(name, each)]));
  const ordered = new Map<CollectionName, CollectionFacts>();
  const kinds: readonly string[] = Object.values(KINDS);
  while (left.size > 0) {
    const names = [...left.keys()];
    const isReferred = (name: string) => names.some((other) => left.get(other)?.has(name));
    const ready = names.filter(
      (name) => ![...(left.get(name) ?? [])].some((other) => left.has(other as CollectionName)),
    );
    const name = (ready.find((one) => !namesKinds(facts.get(one)?.schema)) ??
      ready.find(isReferred) ??
      ready.find((one) => kinds.includes(one)) ??
      ready[0] ??
      names[0]) as CollectionName;
    left.delete(name);
    ordered.set(name, facts.get(name) as CollectionFacts);
  }
  return ordered;
}

function namesKinds(schema: Schema | undefined): boolean {
  const names = Object.keys(fieldsOf(schema));
  return names.some((name) => name.endsWith("_id") && names.includes(name.replace(/_id$/, "_type")));
}

// The names of the collections, other than its own, to which records refer, also in nested records.
function referredBy(name: string, { schema, targets }: CollectionFacts): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (part: Schema) => {
    const traits = traitsOf(unwrap(part));
    if (traits.kind === "array") visit(traits.item);
    if (traits.kind !== "object") return;
    for (const [field, inner] of Object.entries(traits.fields)) {
      const { [field]: target } = targets;
      if (target !== undefined && target !== name) found.add(target);
      visit(inner);
    }
  };
  visit(schema);
  return found;
}
