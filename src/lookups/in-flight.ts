import { raceAbort } from "../core/abort.js";
import type { EndedCall, Run } from "../core/call/ended-call.js";
import type { CallRequest } from "../core/call/request.js";
import { copyOf } from "../core/copy.js";

/** A request that several calls wait for. */
interface Shared {
  readonly running: Promise<EndedCall>;
  readonly controller: AbortController;
  waiting: number;
  /** Whether a call has already taken the value itself; the others get copies. */
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
  async run(request: CallRequest, run: Run): Promise<EndedCall> {
    const { signal, settings } = request;
    // A call's total time runs from its own beginning, so it cannot share a request that began earlier.
    if (settings.totalTimeout !== null) return run(request);
    if (signal?.aborted) throw signal.reason;
    const shared = this.#join(request, run);
    shared.waiting++;
    try {
      const ended = await raceAbort(shared.running, signal);
      const own = shared.taken ? ownCopyOf(ended) : ended;
      shared.taken = true;
      return { ...own, request };
    } finally {
      shared.waiting--;
      if (shared.waiting === 0) shared.controller.abort();
    }
  }

  #join(request: CallRequest, run: Run): Shared {
    const key = keyOf(request);
    const known = this.#shared.get(key);
    if (known && !known.controller.signal.aborted) return known;
    const controller = new AbortController();
    const running = run({ ...request, signal: controller.signal });
    const shared: Shared = { running, controller, waiting: 0, taken: false };
    this.#shared.set(key, shared);
    const forget = () => {
      if (this.#shared.get(key) === shared) this.#shared.delete(key);
    };
    running.then(forget, forget);
    return shared;
  }
}

// Everything that changes what is sent, how often or when. Each call validates the response in its own way.
function keyOf({ operation, path, query, priority, settings }: CallRequest): string {
  const { timeout, retryLimit, backoffLimit, headers } = settings;
  return JSON.stringify([operation.id, path, query, priority, timeout, retryLimit, backoffLimit, headers]);
}

function ownCopyOf(ended: EndedCall): EndedCall {
  const { result } = ended;
  if (result.kind !== "response") return ended;
  const { response } = result;
  const own = { ...result, response: { ...response, headers: new Headers(response.headers) } };
  if (own.body.kind === "json") own.body = { kind: "json", value: copyOf(own.body.value) };
  return { ...ended, result: own };
}
