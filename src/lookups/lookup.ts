import { raceAbort } from "../core/abort.js";
import { inputError, writeQuery } from "../core/call/request.js";
import { copyOf } from "../core/copy.js";
import { contradicts, equalityFilters } from "../core/drift/filters.js";
import { isPlainObject } from "../core/json.js";
import { operationOf, type Pages } from "../core/lists/pages.js";
import {
  acceptAny,
  checkNames,
  type OptionTable,
  positive,
  readOptions,
  record,
  whole,
} from "../core/option-checks.js";
import type { RequestOptions } from "../core/options.js";
import type { LookupContext } from "./context.js";
import { FieldIndex } from "./field-index.js";
import type { Identified } from "./known-records.js";
import type { Lookup, LookupOptions } from "./types.js";

const ONE_READING = "is not supported here, because callers share one read of the list; set it on the client instead";
const LOOKUP_OPTIONS = {
  maxAge: [positive, 300_000],
  maxRecords: [/* @__PURE__ */ whole(1), 100_000],
  query: [acceptAny],
} satisfies OptionTable<LookupOptions<object>>;

/** Makes a lookup of a list by a field. @throws InputError when an option is wrong. */
export function lookupOf(
  list: (query?: object) => Pages<Identified>,
  field: string,
  options: LookupOptions<object>,
  client: Pick<LookupContext, "settings" | "writesTo">,
): Lookup<unknown, unknown> {
  const { id } = operationOf(list());
  const fail = (path: string, message: string) => inputError(id, [{ path, message }]);
  const limits = readOptions(options, LOOKUP_OPTIONS, fail);
  const filters = equalityFilters(writeQuery({ ...options.query }, "repeat"));
  const fits = (record: Identified) => !filters.some((filter) => contradicts(record, filter));
  const source = { id, field, list: () => list(options.query), fits, writes: client.writesTo(id) };
  const index = new FieldIndex(source, limits, client.settings.clock);
  const find = async (values: readonly unknown[], given: Pick<RequestOptions, "signal"> = {}) => {
    checkNames(record("options", given, fail), { signal: 1 }, (path) => fail(path, ONE_READING));
    const isValue = (value: unknown) => ["string", "boolean"].includes(typeof value) || Number.isFinite(value);
    if (!values.every((value) => value === null || isValue(value)))
      throw fail(field, "must be looked up by a text, a number, a Boolean or null");
    given.signal?.throwIfAborted();
    return copyOf(await raceAbort(index.find(values), given.signal));
  };
  return {
    get: async (value, given) => (await find([value], given))[0] ?? null,
    getMany: async (values, given) => {
      if (!Array.isArray(values)) throw fail("values", "must be an array");
      return find(values, given);
    },
    add: async (record) => {
      if (!isPlainObject(record)) throw fail("record", "must be a record");
      index.add(copyOf(record) as unknown as Identified);
    },
    refresh: async () => index.forget(),
  };
}
