import { raceAbort } from "../core/abort.js";
import { inputError } from "../core/call/request.js";
import { isPlainObject } from "../core/json.js";
import { operationOf, type Pages } from "../core/lists/pages.js";
import { checkNames, positive, whole } from "../core/option-checks.js";
import type { LookupContext } from "./context.js";
import { FieldIndex } from "./field-index.js";
import type { Identified } from "./record-reader.js";
import type { Lookup, LookupOptions } from "./types.js";

const LOOKUP_OPTIONS = { maxAge: 1, maxRecords: 1, query: 1 } as const;

/**
 * Makes a lookup of a list by a field.
 * @throws InputError when an option is wrong.
 */
export function lookupOf(
  list: (query?: object) => Pages<Identified>,
  field: string,
  options: LookupOptions<object>,
  { clock, writesTo }: Pick<LookupContext, "clock" | "writesTo">,
): Lookup<unknown, unknown> {
  const { id } = operationOf(list());
  const fail = (path: string, message: string) => inputError(id, [{ path, message }]);
  if (!isPlainObject(options as unknown)) throw fail("", "the options must be a plain object");
  checkNames(options, LOOKUP_OPTIONS, fail);
  const limits = {
    maxAge: positive("maxAge", options.maxAge ?? 300_000, fail),
    maxRecords: whole("maxRecords", options.maxRecords ?? 100_000, 1, Number.MAX_SAFE_INTEGER, fail),
  };
  const source = { id, field, list: () => list(options.query), writes: writesTo(id) };
  const index = new FieldIndex(source, limits, clock);
  return {
    get: async (value, { signal } = {}) => (await raceAbort(index.find([value]), signal))[0] ?? null,
    getMany: async (values, { signal } = {}) => {
      if (!Array.isArray(values)) throw fail("values", "must be an array");
      return raceAbort(index.find(values), signal);
    },
    add: async (record) => index.add(record as Identified),
    refresh: async () => index.forget(),
  };
}
