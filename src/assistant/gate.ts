import type { FieldClass } from "../core/field-class.js";
import { type Operation, placeholders } from "../core/operation.js";
import { fieldsOf, formatOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import { conditionProblem, conditionsOf } from "../work/conditions.js";
import { fieldNames, fieldSchema, pathOf } from "./catalog.js";
import { classOf, isRecord, itemOf } from "./classes.js";
import type { Tools } from "./context.js";
import type { Given } from "./input.js";
import { ToolProblem } from "./problem.js";

// Whatever names a field passes here: an answer that depends on a hidden value would tell it, guess by guess.

/** A field that may be asked about. */
export interface ShownField {
  readonly path: readonly string[];
  readonly schema: Schema;
}

/** Finds a field that is shown. @throws ToolProblem for one that is not, or that there is not. */
export function shownField(tools: Tools, schema: Schema, text: string, argument: string): ShownField {
  const path = pathOf(schema, text);
  let at = schema;
  for (const name of path) {
    const inner = fieldSchema(at, name);
    const own = inner && itemOf(inner);
    if (own && isRecord(own)) {
      at = own;
      continue;
    }
    const found = classIn(at, name);
    if (!inner || !tools.sight.shows(found)) throw hidden(`${argument}: ${text}`, found ?? "unknown");
    return { path, schema: inner };
  }
  throw new ToolProblem(`${argument}: name a field of ${text.slice(0, 60)}`);
}

/** Refuses filters and identifiers that ask about fields that are hidden. @throws ToolProblem. */
export function checkAsked(tools: Tools, operation: Operation, record: Schema, params: Given, query: Given): void {
  const isSlug = placeholders(operation).some((name) => name === "id" && typeof params[name] === "string");
  if (isSlug && fieldSchema(record, "slug")) shownField(tools, record, "slug", "id");
  const filters = fieldsOf(operation.query);
  for (const [name, value] of Object.entries(query)) {
    if (name === "sort") {
      for (const field of String(value).match(/[a-z_]{2,}/g) ?? [])
        if (fieldSchema(record, field)) shownField(tools, record, field, "sort");
      continue;
    }
    const field = [name, name.replace(/_(from|until|to|before|after)$/, ""), `${name}s`].find((one) =>
      fieldSchema(record, one),
    );
    if (field !== undefined) {
      const found = classIn(record, field);
      if (!tools.sight.shows(found)) throw hidden(`where: ${name}`, found ?? "unknown");
    } else if (!/_ids?$/.test(name) && !isPlain(filters[name])) checkSearch(tools, record, name);
  }
}

// What a search looks at is not known: whatever tells who somebody is.
function checkSearch(tools: Tools, record: Schema, name: string): void {
  const looked = fieldNames(record).flatMap((field) => {
    const inner = fieldSchema(record, field);
    const own = inner && itemOf(inner);
    return own && isRecord(own) ? fieldNames(own).map((one) => classIn(own, one)) : [classIn(record, field)];
  });
  const first = looked.find((one) => /^(name|contact|number)$/.test(one ?? "") && !tools.sight.shows(one));
  if (first) throw hidden(`where: ${name} looks in fields that`, first);
}

// A text can ask about anything; a number, a date or a choice about what it is alone.
function isPlain(schema: Schema | undefined): boolean {
  if (!schema) return false;
  const inner = unwrap(schema);
  const traits = traitsOf(inner);
  if (traits.kind === "array") return isPlain(traits.item);
  if (traits.kind === "union") return traits.options.every(isPlain);
  return /^(enumeration|boolean|number)$/.test(traits.kind) || formatOf(inner) !== null;
}

function hidden(what: string, one: FieldClass | string): ToolProblem {
  return new ToolProblem(
    `${what.slice(0, 80)} is hidden (${one}); leave it out, or tell the user that the option show can name it`,
    "hidden",
  );
}

/** The class of a field, also of a record with several forms. */
export function classIn(schema: Schema, field: string): FieldClass | null {
  const traits = traitsOf(schema);
  if (traits.kind !== "variants") return classOf(schema, field);
  return traits.options.map((one) => classOf(one, field)).find((found) => found !== null) ?? null;
}

/** Whether a record fits the conditions of a call; null where there are none. */
export type Holds = ((record: unknown) => boolean) | null;

/** Reads conditions on fields that are shown. @param fieldOf finds such a field. @throws ToolProblem, InputError. */
export function havingOf(
  { session }: Tools,
  text: string | undefined,
  zone: string,
  fieldOf: (name: string) => { readonly schema: Schema; readonly of: (record: Given) => unknown },
): Holds {
  if (text === undefined) return null;
  const { all, holds } = conditionsOf(text, { now: session.clock.now(), zone });
  const fields = new Map(all.map(({ field }) => [field, fieldOf(field)]));
  for (const condition of all) {
    const problem = conditionProblem(condition, (fields.get(condition.field) as { schema: Schema }).schema);
    if (problem !== null) throw new ToolProblem(`having: ${problem}`);
  }
  return (record) => holds(record, (given, field) => fields.get(field)?.of(given as Given));
}
