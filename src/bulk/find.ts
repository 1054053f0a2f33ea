import { inputError } from "../core/call/request.js";
import { type Operation, resourceNameOf } from "../core/operation.js";
import { didYouMean } from "../core/option-checks.js";
import { fieldsOf, traitsOf, unwrapped } from "../core/schema/traits.js";
import { allOperations } from "../operations.js";
import { resourceOf } from "../resources/references.js";
import { namesOf, type Values, valueAt } from "./fields.js";
import { keyOf } from "./keys.js";
import { own, type Said, said } from "./said.js";
import type { Service } from "./service.js";
import type { Target } from "./target.js";

/** Finds the identifiers of the records that a field refers to, by another field of those records. */
export interface Finder {
  /** @returns the identifier, or what is wrong with the text. */
  find(text: string): { readonly value: number } | { readonly problem: Said };
}

/**
 * Reads the list that a field refers to.
 * @throws InputError when the field refers to no list, or its records have no such field.
 */
export async function finderOf(service: Service, field: string, by: string): Promise<Finder> {
  const { target } = service;
  const list = listOf(target, field);
  const fail = (message: string) => inputError("plan", [{ path: `find.${field}`, message }]);
  if (!list) throw fail("refers to no list of the service");
  const names = namesOf(by);
  const known = Object.keys(fieldsOf(list.response));
  if (!known.includes(names[0])) throw fail(`names no field of those records: ${by}${didYouMean(by, known)}`);
  const ids = new Map<string, Set<number>>();
  for await (const { records } of service.pages(list, {}, kindsOf(list, target))) {
    for (const record of records) {
      const key = keyOf([by], [valueAt(record, names)]);
      // A record that moves between pages is shown twice.
      if (key !== null) ids.set(key, (ids.get(key) ?? new Set()).add(record.id));
    }
  }
  const what = resourceNameOf(list.id);
  return {
    find(text) {
      const found = [...(ids.get(keyOf([by], [text]) ?? "") ?? [])];
      const [id] = found;
      if (id === undefined) return { problem: said`none of the ${what} has the ${by} ${own(text)}` };
      return found.length === 1
        ? { value: id }
        : {
            problem: said`${own(found.length)} of the ${what} have the ${by} ${own(text)}: ${own(found.join(", "))}`,
          };
    },
  };
}

function listOf({ name, api }: Target, field: string): Operation | null {
  const reference = field.replace(/_ids?$/, "");
  const wanted = [resourceOf(reference, name), `${reference}s`, resourceOf(reference.replace(/^planning_/, ""), name)];
  const [list = null] = wanted.flatMap((resource) =>
    allOperations.filter(({ id, apis, paged }) => paged && id === `${resource}.list` && apis.includes(api)),
  );
  return list;
}

// Labels of other kinds of records may have the same names.
function kindsOf(list: Operation, { name }: Target): Values {
  const kinds = fieldsOf(list.query).model_type;
  const traits = kinds && traitsOf(unwrapped(kinds));
  const own = traits?.kind === "enumeration" ? traits.values : [];
  const kind = own.find((value) => `${value.replaceAll(":", "")}s`.toLowerCase() === name.toLowerCase());
  return kind === undefined ? {} : { model_type: kind };
}
