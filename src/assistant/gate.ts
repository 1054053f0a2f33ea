import type { FieldClass } from "../core/field-class.js";
import { type Operation, placeholders } from "../core/operation.js";
import { fieldsOf, formatOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import { conditionProblem, conditionsOf } from "../work/conditions.js";
import { fieldNames, fieldSchema, pathOf } from "./catalog.js";
import { classOf, isRecord, itemOf } from "./classes.js";
import type { Tools } from "./context.js";
import type { Given } from "./input.js";
import { ToolProblem } from "./problem.js";

// Checks every field that an argument names: an answer that depends on a hidden value would reveal it, guess by guess.

export interface ShownField {
  readonly path: readonly string[];
  readonly schema: Schema;
}

/** Finds a field that answers may show. @throws ToolProblem if the field is hidden or unknown. */
export function shownField(tools: Tools, schema: Schema, text: string, argument: string): ShownField {
  const path = pathOf(schema, text);
  let at = schema;
  for (const name of path) {
    const inner = fieldSchema(at, name);
    const item = inner && itemOf(inner);
    if (item && isRecord(item)) {
      at = item;
      continue;
    }
    const found = classIn(at, name);
    if (!inner || !tools.sight.shows(found)) throw hiddenProblem(`${argument}: ${text}`, found ?? "unknown");
    return { path, schema: inner };
  }
  throw new ToolProblem(`${argument}: name a field of ${text.slice(0, 60)}`);
}

/** Refuses filters and identifiers that refer to hidden fields. @throws ToolProblem. */
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
      if (!tools.sight.shows(found)) throw hiddenProblem(`where: ${name}`, found ?? "unknown");
    } else if (!/_ids?$/.test(name) && !isPlain(filters[name])) checkSearch(tools, record, name);
  }
}

// The service may search any field that identifies a person, so none of them may be hidden.
function checkSearch(tools: Tools, record: Schema, name: string): void {
  const looked = fieldNames(record).flatMap((field) => {
    const inner = fieldSchema(record, field);
    const item = inner && itemOf(inner);
    return item && isRecord(item) ? fieldNames(item).map((one) => classIn(item, one)) : [classIn(record, field)];
  });
  const first = looked.find((one) => /^(name|contact|number)$/.test(one ?? "") && !tools.sight.shows(one));
  if (first) throw hiddenProblem(`where: ${name}, which searches fields of a class that`, first);
}

// A text filter could match any field; a number, date or choice can only match its own.
function isPlain(schema: Schema | undefined): boolean {
  if (!schema) return false;
  const inner = unwrap(schema);
  const traits = traitsOf(inner);
  if (traits.kind === "array") return isPlain(traits.item);
  if (traits.kind === "union") return traits.options.every(isPlain);
  return /^(enumeration|boolean|number)$/.test(traits.kind) || formatOf(inner) !== null;
}

function hiddenProblem(what: string, one: FieldClass | string): ToolProblem {
  return new ToolProblem(
    `${what.slice(0, 80)} is hidden (${one}); leave it out, or tell the user that the option show can reveal it`,
    "hidden",
  );
}

/** The class of a field, also for a record with several forms. */
export function classIn(schema: Schema, field: string): FieldClass | null {
  const traits = traitsOf(schema);
  if (traits.kind !== "variants") return classOf(schema, field);
  return traits.options.map((one) => classOf(one, field)).find((found) => found !== null) ?? null;
}

export type Holds = ((record: unknown) => boolean) | null;

/** Parses conditions on shown fields. @param fieldOf finds such a field. @throws ToolProblem, InputError. */
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
