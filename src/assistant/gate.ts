import type { FieldClass } from "../core/field-class.js";
import { type Operation, placeholders } from "../core/operation.js";
import { fieldsOf, formatOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import { parseCondition } from "../work/fields/condition.js";
import type { Field } from "../work/fields/path.js";
import { type LeftOut, sentencesOf, type Tester, testerOf } from "../work/fields/tester.js";
import { classIn, fieldAt, fieldNames, fieldSchema, recordIn } from "./catalog.js";
import type { AnswerData, Tools } from "./context.js";
import type { Given } from "./input.js";
import { ToolProblem } from "./problem.js";

// Checks every field that an argument names: an answer that depends on a hidden value would reveal it, guess by guess.

/** Finds a field and checks that it is shown. @throws ToolProblem if the field is hidden or unknown. */
export function shownField(tools: Tools, schema: Schema, path: string, argument: string): Field {
  const field = fieldAt(schema, path);
  let at = schema;
  for (const name of field.names) {
    // Skip the index of a list item.
    if (at !== schema && /^\d+$/.test(name)) continue;
    const item = recordIn(at, name);
    if (item) {
      at = item;
      continue;
    }
    const found = classIn(at, name);
    if (!fieldSchema(at, name) || !tools.sight.shows(found))
      throw hiddenProblem(`${argument}: ${path}`, found ?? "unknown");
    return field;
  }
  throw new ToolProblem(`${argument}: name a field of ${path.slice(0, 60)}`);
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

// The service may search any field that identifies a person, so a search is refused if one is hidden.
function checkSearch(tools: Tools, record: Schema, name: string): void {
  const looked = fieldNames(record).flatMap((field) => {
    const item = recordIn(record, field);
    return item ? fieldNames(item).map((one) => classIn(item, one)) : [classIn(record, field)];
  });
  const first = looked.find((one) => /^(name|contact|number)$/.test(one ?? "") && !tools.sight.shows(one));
  if (first) throw hiddenProblem(`where: ${name}, which searches fields of a class that`, first);
}

// A text filter could match any field; a number, date or choice can match only its own field.
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
    `${what.slice(0, 80)} is hidden (${one}); leave it out, or tell the user that the \`show\` option can reveal it`,
    "hidden",
  );
}

export interface ShownField {
  readonly field: Field;
  /** The schema of the record that has the field: the listed record, or one that `with` joins. */
  readonly owner: Schema;
  readonly of: (record: unknown, names: readonly string[]) => unknown;
}

/** The condition of a call. `holds` is null if there is none, `zone` is null unless it compares days. */
export interface Having extends Pick<Tester, "leftOut"> {
  readonly holds: Tester["holds"] | null;
  readonly zone: string | null;
}

/** Prepares a condition on fields that are shown. @param find finds such a field. @throws ToolProblem, InputError. */
export async function havingOf(
  tools: Tools,
  text: unknown,
  signal: AbortSignal,
  find: (path: string) => ShownField,
): Promise<Having> {
  if (text === undefined) return { holds: null, zone: null, leftOut: () => ({}) };
  const found = new Map<string, ShownField>();
  const condition = parseCondition(String(text), (path) => {
    const one = find(path);
    found.set(path, one);
    return { field: { ...one.field, path } };
  });
  const zone = condition.needsZone ? await tools.session.zone(signal) : null;
  const at = { now: tools.session.clock.now(), zone: zone ?? "UTC" };
  const tester = testerOf(condition, at, (record, { path, names }) => found.get(path)?.of(record, names));
  return { holds: (record) => tester.holds(record), zone, leftOut: () => tester.leftOut() };
}

/** Facts that an answer's numbers do not reveal, such as records without a value; empty if none. */
export function leftOutIn(left: LeftOut, more: readonly string[] = []): AnswerData {
  const notes = [...sentencesOf(left), ...more];
  return {
    ...(Object.keys(left).length > 0 && { left_out: left }),
    ...(notes.length > 0 && { note: notes.join(" ") }),
  };
}
