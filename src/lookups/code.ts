import type { EndedCall } from "../core/call/ended-call.js";
import type { CallRequest } from "../core/call/request.js";
import type { Clock } from "../core/clock.js";
import type { SendPage } from "../core/lists/page-source.js";
import type { Pages } from "../core/lists/pages.js";
import type { JoinOptions } from "../core/lists/references.js";
import { type Operation, resourceNameOf } from "../core/operation.js";
import type { RequestOptions } from "../core/options.js";
import type { Settings } from "../core/settings.js";
import type { LookupContext, LookupParts, Reading } from "./context.js";
import { sendJoined } from "./join.js";
import type { Identified } from "./known-records.js";
import { lookupOf } from "./lookup.js";
import { type ManyRecords, type ManySource, manyOf } from "./many.js";
import type { RecordReader } from "./record-reader.js";
import type { Lookup, LookupOptions } from "./types.js";
import { Writes } from "./writes.js";

/**
 * Implements `lookup`, `getMany` and `with` for one client; loaded when one of them is first used. See
 * docs/decisions/lookups.md.
 */
export class LoadedLookups implements LookupContext {
  readonly operations: () => readonly Operation[];
  readonly references: LookupParts["references"];
  readonly transport: Reading;
  readonly clock: Clock;
  readonly totalTimeout: number | null;
  readonly pageSize: number;
  readonly readers = new Map<string, RecordReader>();
  /**
   * Writes that have ended since the code was loaded, by resource. Earlier writes do not matter: no record had been
   * read by then.
   */
  readonly #writes = new Map<string, Writes>();

  constructor(
    { operations, references }: LookupParts,
    transport: Reading,
    { clock, totalTimeout, pageSize }: Pick<Settings, "clock" | "totalTimeout" | "pageSize">,
  ) {
    this.operations = operations;
    this.references = references;
    this.transport = transport;
    this.clock = clock;
    this.totalTimeout = totalTimeout;
    this.pageSize = pageSize;
  }

  readonly writesTo = (operation: string): Writes => {
    const resource = resourceNameOf(operation);
    const known = this.#writes.get(resource) ?? new Writes();
    this.#writes.set(resource, known);
    return known;
  };

  wrote({ operation, params, raw }: CallRequest, ended: EndedCall | null): void {
    if (ended && isRefused(ended)) return;
    // A request by hand does not reveal which resource it changes.
    if (raw) {
      for (const writes of this.#writes.values()) writes.note(null);
      return;
    }
    const writes = this.writesTo(operation.id);
    const ids = new Set([params.id, ended && idOf(ended)].map(Number).filter((id) => id > 0));
    if (ids.size === 0) writes.note(null);
    for (const id of ids) writes.note(id);
  }

  lookup(
    list: (query?: object) => Pages<Identified>,
    field: string,
    options: LookupOptions<object>,
  ): Lookup<unknown, unknown> {
    return lookupOf(list, field, options, this);
  }

  many(resource: ManySource, ids: readonly number[], options: RequestOptions): ManyRecords {
    return manyOf(resource, ids, options, this);
  }

  fetchJoined(
    operation: Operation,
    send: SendPage,
    request: CallRequest,
    references: Readonly<Record<string, true>>,
    options: JoinOptions,
  ): ReturnType<typeof sendJoined> {
    return sendJoined(operation, send, request, references, options, this);
  }
}

// Nothing has changed if the service refused the request or did not receive it.
function isRefused({ result, maybeApplied }: EndedCall): boolean {
  return !maybeApplied && !(result.kind === "response" && result.status < 400);
}

// The identifier of the record that a write returned, for example the created one.
function idOf({ result }: EndedCall): unknown {
  if (result.kind !== "response" || result.body.kind !== "json") return null;
  return (result.body.value as { readonly id?: unknown } | null)?.id;
}
