import type { Sandbox } from "../../../../src/sandbox/index.js";
import { LATENCY_MS } from "./service-process.js";
import type { SkippingClock } from "./skipping-clock.js";

/** A request and its response, at the moment at which the sandbox had it. */
export type OnAnswer = (at: number, request: { method: string; url: string; status: number }, text: string) => void;

/** Sends requests to a sandbox made with `now`, whose clock follows the clock of whoever sends them. */
export function fetchOf(sandbox: Sandbox, onAnswer: OnAnswer = () => {}): (clock: SkippingClock) => typeof fetch {
  let turn: Promise<unknown> = Promise.resolve();
  return (clock) =>
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
}
