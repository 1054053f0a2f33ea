import type { EndedCall } from "../core/call/ended-call.js";
import type { CallRequest } from "../core/call/request.js";
import { resourceNameOf } from "../core/operation.js";
import type { LookupContext, LookupParts, Reading } from "./context.js";
import type { RecordReader } from "./record-reader.js";
import { Writes } from "./writes.js";

export { sendJoined } from "./join.js";
export { lookupOf } from "./lookup.js";
export { manyOf } from "./many.js";

/** The state that `lookup`, `getMany` and `with` of one client share. See docs/decisions/lookups.md. */
export class LookupState implements LookupContext {
  readonly parts: LookupParts;
  readonly transport: Reading;
  readonly settings: LookupContext["settings"];
  readonly readers = new Map<string, RecordReader>();
  /**
   * Writes that have ended since this code was loaded, by resource. Earlier writes do not matter: no record had been
   * read by then.
   */
  readonly #writes = new Map<string, Writes>();

  constructor(parts: LookupParts, transport: Reading, settings: LookupContext["settings"]) {
    this.parts = parts;
    this.transport = transport;
    this.settings = settings;
  }

  writesTo(operation: string): Writes {
    const resource = resourceNameOf(operation);
    const known = this.#writes.get(resource) ?? new Writes();
    this.#writes.set(resource, known);
    return known;
  }

  wrote({ operation, params, raw }: CallRequest, ended: EndedCall | null): void {
    if (ended && isRefused(ended)) return;
    // A raw request may change records of any resource.
    if (raw) {
      for (const writes of this.#writes.values()) writes.note(null);
      return;
    }
    const writes = this.writesTo(operation.id);
    const ids = new Set([params.id, ended && idOf(ended)].map(Number).filter((id) => id > 0));
    if (ids.size === 0) writes.note(null);
    for (const id of ids) writes.note(id);
  }
}

// Nothing has changed if the service refused the request or did not receive it.
function isRefused({ result, maybeApplied }: EndedCall): boolean {
  return !maybeApplied && !(result.kind === "response" && result.status < 400);
}

function idOf({ result }: EndedCall): unknown {
  if (result.kind !== "response" || result.body.kind !== "json") return null;
  return (result.body.value as { readonly id?: unknown } | null)?.id;
}
