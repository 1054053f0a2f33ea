import { inputError } from "../core/call/request.js";
import { copyOf } from "../core/copy.js";
import { operationOf, type Pages } from "../core/lists/pages.js";
import { resourceNameOf } from "../core/operation.js";
import type { ListOptions, RequestOptions } from "../core/options.js";
import { checkCallOptions } from "../core/settings.js";
import type { LookupContext } from "./context.js";
import { endTogether } from "./end-together.js";
import type { Identified } from "./known-records.js";
import type { ReadPlan } from "./plan.js";
import { RecordReader } from "./record-reader.js";
import type { RecordSource } from "./sweeper.js";

export interface ManySource {
  list(query?: object, options?: ListOptions): Pages<Identified>;
  /** Absent if no operation reads a single record. */
  readonly get?: NonNullable<RecordSource["get"]>;
}

export interface ManyRecords {
  plan(): Promise<ReadPlan>;
  /**
   * The records in the order of the identifiers, null for each that does not exist. Reads them once, or again after a
   * failure.
   */
  read(): Promise<(Identified | null)[]>;
}

/** Prepares to read many records by identifier. @throws InputError when an identifier or an option is wrong. */
export function manyOf(
  resource: ManySource,
  ids: readonly number[],
  options: RequestOptions,
  client: Pick<LookupContext, "settings" | "writesTo">,
): ManyRecords {
  const { clock, totalTimeout, pageSize } = client.settings;
  const row = operationOf(resource.list());
  const fail = (path: string, message: string) => inputError(row.id, [{ path, message }]);
  // List options are not accepted: a checkpoint or `maxPages` would hide records.
  const { totalTimeout: left = totalTimeout } = checkCallOptions(options, { paged: undefined }, fail);
  if (!Array.isArray(ids)) throw fail("ids", "must be an array of identifiers");
  const wrong = ids.findIndex((id) => !Number.isSafeInteger(id) || id < 1);
  if (wrong >= 0) throw fail(`ids[${wrong}]`, "must be a positive whole number");
  const wanted: readonly number[] = [...ids];
  const reader = new RecordReader(
    {
      resource: resourceNameOf(row.id),
      row,
      list: (query, listOptions) => resource.list(query, listOptions),
      get: resource.get ?? null,
      writes: client.writesTo(row.id),
      pageSize,
    },
    clock,
  );
  // The time limit covers all reads together; it may exceed the client's limit.
  const shared: RequestOptions = { ...options, totalTimeout: left ?? undefined };
  const together = <T>(work: (its: RequestOptions) => Promise<T>) =>
    endTogether(row.id, { clock, signal: options.signal, left }, (signal) => work({ ...shared, signal }));
  let found: ReturnType<RecordReader["read"]> | null = null;
  return {
    plan: () => together((its) => reader.plan(wanted, its)),
    read: async () => {
      found ??= together((its) => reader.read(wanted, Number.POSITIVE_INFINITY, its)).catch((error) => {
        // Awaiting the result again reads only the records that are still missing.
        found = null;
        throw error;
      });
      const records = await found;
      return wanted.map((id) => copyOf(records.get(id) ?? null));
    },
  };
}
