import type { Sandbox } from "../../../../src/sandbox/index.js";
import { LATENCY_MS } from "./service-process.js";
import type { SkippingClock } from "./skipping-clock.js";

/**
 * Called with the time at which the sandbox received a request, the request with its status, and the text of the
 * response.
 */
export type OnAnswer = (at: number, request: { method: string; url: string; status: number }, text: string) => void;

/** Gives programs with their own clocks access to a sandbox. */
export interface SandboxTime {
  /** Returns a `fetch` that sends requests on a clock's time; the sandbox's clock follows that clock. */
  readonly send: (clock: SkippingClock) => typeof fetch;
  /** Resolves when no request is in progress. A killed program may have sent a request that has not yet arrived. */
  settle(): Promise<void>;
}

/** Makes the clock of a sandbox created with `now` follow the clocks of the programs that send requests. */
export function timeOf(sandbox: Pick<Sandbox, "clock" | "fetch">, onAnswer: OnAnswer = () => {}): SandboxTime {
  let turn: Promise<unknown> = Promise.resolve();
  const send =
    (clock: SkippingClock): typeof fetch =>
    (...request) => {
      clock.pass(LATENCY_MS);
      const { method, url } = new Request(...request);
      const work = turn.then(async () => {
        await sandbox.clock.advance(Math.max(0, clock.now() - sandbox.clock.now()));
        const at = sandbox.clock.now();
        const response = await sandbox.fetch(...request);
        const text = await response.text();
        onAnswer(at, { method, url, status: response.status }, text);
        return new Response(text === "" ? null : text, response);
      });
      turn = work.catch(() => undefined);
      return clock.during(() => work).finally(() => clock.pass(LATENCY_MS));
    };
  return {
    send,
    async settle() {
      for (let last: unknown = null; last !== turn; ) {
        last = turn;
        await turn;
      }
    },
  };
}
