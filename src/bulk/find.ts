import { inputError } from "../core/call/request.js";
import { isEducationAdminError } from "../core/errors.js";
import { type Operation, resourceNameOf } from "../core/operation.js";
import { fieldsOf, traitsOf, unwrap } from "../core/schema/traits.js";
import { allOperations } from "../operations.js";
import { resourceOf } from "../resources/references.js";
import { type Condition, parseCondition } from "../work/fields/condition.js";
import { type FoundField, parsePath, valueAt } from "../work/fields/path.js";
import { testerOf } from "../work/fields/tester.js";

import { type Field, isArray, type Values } from "./fields.js";
import { type CellValue, textsOf } from "./file/cells.js";
import { alikeForm, keyOf, showInvisible, spellKey } from "./keys.js";
import { type ProblemText, problemText, rowValue } from "./problem-text.js";
import type { Service } from "./service.js";
import type { Target } from "./target.js";
import type { CellFormats } from "./types.js";

/**
 * Finds the record that a cell of a reference field means, for example by the record's name; returns a problem unless
 * exactly one fits.
 */
export type Finder = (text: string) => { readonly value: number } | { readonly problem: ProblemText };

/**
 * Reads the list to which a field refers.
 * @throws InputError if the field refers to no list, or the list's records lack the field `by`.
 */
export async function finderOf(
  service: Service,
  field: string,
  by: string,
  readZone: () => Promise<string>,
): Promise<Finder> {
  const { target } = service;
  const list = listOf(target, field);
  const fail = (message: string) => inputError("plan", [{ path: `find.${field}`, message }]);
  if (!list) throw fail("does not refer to records of a list");
  const [, name = by, where] = /^(.*?)\s+where\s+(.*)$/s.exec(by) ?? [];
  const found = parsePath(name, list.response);
  if ("problem" in found) throw fail(`names ${JSON.stringify(name)}, which ${found.problem}`);
  const { names } = found.field;
  const condition = where === undefined ? null : conditionIn(where, (path) => parsePath(path, list.response), fail);
  const zone = condition?.needsZone ? await readZone() : "UTC";
  const tester = condition && testerOf(condition, { now: target.transport.settings.clock.now(), zone });
  const ids = new Map<string, Set<number>>();
  for await (const { records } of service.pages(list, {}, kindsOf(list, target))) {
    for (const record of records) {
      if (tester && !tester.holds(record)) continue;
      const key = keyOf([name], [valueAt(record, names)]);
      // A record that moves between pages appears twice, but counts once.
      if (key !== null) ids.set(key, (ids.get(key) ?? new Set()).add(record.id));
    }
  }
  const what = `${resourceNameOf(list.id)}${where === undefined ? "" : ` where ${where}`}`;
  return (text) => {
    const wanted = keyOf([name], [text]) ?? "";
    const found = [...(ids.get(wanted) ?? [])];
    const [id] = found;
    if (id !== undefined && found.length === 1) return { value: id };
    if (id !== undefined) {
      const all = rowValue(found.join(", "));
      return {
        problem: problemText`${rowValue(found.length)} of the ${what} have the ${name} ${rowValue(text)}: ${all}`,
      };
    }
    const near = [...ids.keys()].find((key) => alikeForm(key) === alikeForm(wanted));
    const advice = rowValue(near === undefined ? "" : `; did you mean ${spellKey(near)}?`);
    const shown = rowValue(showInvisible(text));
    return { problem: problemText`none of the ${what} has the ${name} ${shown}${{ ...advice, reason: "" }}` };
  };
}

/** Parses a condition. @throws the error of `fail` if the condition is invalid. */
export function conditionIn(
  text: string,
  find: (path: string) => FoundField,
  fail: (message: string) => Error,
): Condition {
  try {
    return parseCondition(text, find);
  } catch (error) {
    throw isEducationAdminError(error, "input") ? fail(error.message) : error;
  }
}

/** The fields of the records to which a field refers; null if it refers to no list. */
export function listedIn(target: Target, field: string): readonly string[] | null {
  const list = listOf(target, field);
  return list && Object.keys(fieldsOf(list.response));
}

function listOf({ name, api }: Target, field: string): Operation | null {
  const reference = field.replace(/_ids?$/, "");
  const wanted = [resourceOf(reference, name), `${reference}s`, resourceOf(reference.replace(/^planning_/, ""), name)];
  const [list = null] = wanted.flatMap((resource) =>
    allOperations.filter(({ id, apis, paged }) => paged && id === `${resource}.list` && apis.includes(api)),
  );
  return list;
}

// Selects the labels for this kind of record: labels for other kinds may have the same names.
function kindsOf(list: Operation, { name }: Target): Values {
  const kinds = fieldsOf(list.query).model_type;
  const traits = kinds && traitsOf(unwrap(kinds));
  const values = traits?.kind === "enumeration" ? traits.values : [];
  const kind = values.find((value) => `${value.replaceAll(":", "")}s`.toLowerCase() === name.toLowerCase());
  return kind === undefined ? {} : { model_type: kind };
}

export function findReferences(finder: Finder, field: Field, cell: unknown, formats: CellFormats): CellValue {
  const texts = Array.isArray(cell)
    ? cell.map(String)
    : isArray(field)
      ? textsOf(String(cell), formats)
      : [String(cell)];
  const all = texts.map(finder);
  const problems = all.flatMap((one) => ("problem" in one ? one.problem : []));
  if (problems.length > 0)
    return {
      problem: {
        message: `cannot be found: ${problems.map(({ message }) => message).join("; ")}`,
        reason: `cannot be found: ${[...new Set(problems.map(({ reason }) => reason))].join("; ")}`,
      },
    };
  const ids = all.flatMap((one) => ("value" in one ? one.value : []));
  return { value: isArray(field) ? ids : ids[0] };
}
