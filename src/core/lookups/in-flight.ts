import { raceAbort } from "../abort.js";
import type { CallRequest } from "../call/request.js";
import { type SendContext, type Sent, send } from "../call/send.js";

/** A request that several calls wait for. */
interface Shared {
  readonly sent: Promise<Sent>;
  readonly controller: AbortController;
  waiting: number;
  /** Whether a call has taken the value that was read; the others get copies. */
  taken: boolean;
}

/** Sends equal GETs that are in flight at the same time as one request: the client option `dedupe`. */
export class InFlight {
  readonly #shared = new Map<string, Shared>();

  /** As `send`; the request ends early only when every call that waits for it was aborted. */
  async send(request: CallRequest, context: SendContext): Promise<Sent> {
    const { signal, settings, operation } = request;
    // Reads that began before a write ended may not show it, so calls after it share none of them.
    if (operation.method !== "GET") return send(request, context).finally(() => this.#shared.clear());
    // A call's total time runs from its own beginning, so it cannot share a request that began earlier.
    if (settings.totalTimeout !== null) return send(request, context);
    if (signal?.aborted) throw signal.reason;
    const shared = this.#join(request, context);
    shared.waiting++;
    try {
      const sent = await raceAbort(shared.sent, signal);
      const own = shared.taken ? copyOf(sent) : sent;
      shared.taken = true;
      return { ...own, request };
    } finally {
      shared.waiting--;
      if (shared.waiting === 0) shared.controller.abort();
    }
  }

  #join(request: CallRequest, context: SendContext): Shared {
    const key = keyOf(request);
    const known = this.#shared.get(key);
    if (known && !known.controller.signal.aborted) return known;
    const controller = new AbortController();
    const sent = send({ ...request, signal: controller.signal }, context);
    const shared: Shared = { sent, controller, waiting: 0, taken: false };
    this.#shared.set(key, shared);
    const forget = () => {
      if (this.#shared.get(key) === shared) this.#shared.delete(key);
    };
    sent.then(forget, forget);
    return shared;
  }
}

// Everything that changes what is sent, how often or when. How a response is validated is each call's own affair.
function keyOf({ operation, path, query, priority, settings }: CallRequest): string {
  const { timeout, retryLimit, backoffLimit, headers } = settings;
  return JSON.stringify([operation.id, path, query, priority, timeout, retryLimit, backoffLimit, headers]);
}

function copyOf(sent: Sent): Sent {
  const { outcome } = sent;
  if (outcome.kind !== "response" || outcome.body.kind !== "json") return sent;
  return { ...sent, outcome: { ...outcome, body: { kind: "json", value: structuredClone(outcome.body.value) } } };
}
