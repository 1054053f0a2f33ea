import { raceAbort } from "../core/abort.js";
import type { CallContext } from "../core/call/attempt.js";
import type { CallRequest } from "../core/call/request.js";
import { type EndedCall, runCall } from "../core/call/run-call.js";

/** A request that several calls wait for. */
interface Shared {
  readonly running: Promise<EndedCall>;
  readonly controller: AbortController;
  waiting: number;
  /** Whether a call has taken the value that was read; the others get copies. */
  taken: boolean;
}

/** Sends equal GETs that are in flight at the same time as one request: the client option `dedupe`. */
export class InFlight {
  readonly #shared = new Map<string, Shared>();

  /** Forgets the requests in flight: those that began before a write ended may not show it. */
  clear(): void {
    this.#shared.clear();
  }

  /** Runs a GET, or shares an equal one. The request ends early only when every call that waits for it was aborted. */
  async run(request: CallRequest, context: CallContext): Promise<EndedCall> {
    const { signal, settings } = request;
    // A call's total time runs from its own beginning, so it cannot share a request that began earlier.
    if (settings.totalTimeout !== null) return runCall(request, context);
    if (signal?.aborted) throw signal.reason;
    const shared = this.#join(request, context);
    shared.waiting++;
    try {
      const ended = await raceAbort(shared.running, signal);
      const own = shared.taken ? copyOf(ended) : ended;
      shared.taken = true;
      return { ...own, request };
    } finally {
      shared.waiting--;
      if (shared.waiting === 0) shared.controller.abort();
    }
  }

  #join(request: CallRequest, context: CallContext): Shared {
    const key = keyOf(request);
    const known = this.#shared.get(key);
    if (known && !known.controller.signal.aborted) return known;
    const controller = new AbortController();
    const running = runCall({ ...request, signal: controller.signal }, context);
    const shared: Shared = { running, controller, waiting: 0, taken: false };
    this.#shared.set(key, shared);
    const forget = () => {
      if (this.#shared.get(key) === shared) this.#shared.delete(key);
    };
    running.then(forget, forget);
    return shared;
  }
}

// Everything that changes what is sent, how often or when. How a response is validated is each call's own affair.
function keyOf({ operation, path, query, priority, settings }: CallRequest): string {
  const { timeout, retryLimit, backoffLimit, headers } = settings;
  return JSON.stringify([operation.id, path, query, priority, timeout, retryLimit, backoffLimit, headers]);
}

function copyOf(ended: EndedCall): EndedCall {
  const { result } = ended;
  if (result.kind !== "response" || result.body.kind !== "json") return ended;
  return { ...ended, result: { ...result, body: { kind: "json", value: structuredClone(result.body.value) } } };
}
