import { traceRequest } from "#platform";
import { NoKeyYet } from "../credentials.js";
import { ConfigurationError } from "../errors.js";
import type { Ticket } from "../limits/ticket.js";
import { dateOf } from "../time.js";
import type { Attempt, AttemptResult, EndedAttempt } from "./attempt-result.js";
import type { CallContext } from "./context.js";
import { exchange } from "./exchange.js";
import { redirectOf } from "./redirect.js";
import { NO_KEY } from "./retry.js";

/**
 * Makes one attempt: waits for the key and the rate limit, sends the request, and reads the whole body. It may send
 * further requests, which wait too: one with a new key after a refusal, and those that follow a GET's redirects within
 * the origin. Never rejects: if the caller's `apiKey` or `fetch` function fails, that becomes the result.
 */
export async function attempt(spec: Attempt, context: CallContext): Promise<EndedAttempt> {
  const { request, ticket } = spec;
  const { line, settings } = context;
  const { method } = request.operation;
  let ended: Omit<EndedAttempt, "result"> = {
    response: null,
    url: spec.url,
    redirected: false,
    token: null,
    durationMs: 0,
  };
  let redirects = 0;
  let isRenewed = false;
  try {
    for (;;) {
      const turn = await line.turn(ticket);
      if ("refused" in turn) {
        const retryAt = turn.retryAt === null ? null : dateOf(settings.clock, turn.retryAt);
        return { ...ended, result: { kind: "rate_limited", reason: turn.refused, retryAt } };
      }
      const { token, permit } = turn;
      const { url, redirected } = ended;
      ticket.requests++;
      const sending = { ...spec, url, redirected, token, waitedMs: permit?.waitedMs ?? 0 };
      const sent = await traceRequest(request.trace, ticket.requests, (within) =>
        exchange({ ...sending, within }, context),
      );
      const { result } = sent;
      permit?.settle(wasSent(result));
      if (result.kind !== "response") return sent;
      ended = sent;
      if (!isRenewed) {
        isRenewed = await line.renew(request, ticket, token, result.status);
        if (isRenewed) continue;
      }
      const redirect = redirectOf(result.response, { method, url, origin: settings.origin, redirects });
      if (redirect === null) return sent;
      if ("problem" in redirect) {
        return { ...sent, result: { kind: "redirect", response: result.response, problem: redirect.problem } };
      }
      redirects++;
      ended = { ...sent, url: redirect.url, redirected: true };
    }
  } catch (error) {
    return { ...ended, result: unsentResult(error, ticket) };
  }
}

function wasSent(result: AttemptResult): boolean {
  return !("received" in result && result.received === "no");
}

function unsentResult(error: unknown, { call }: Ticket): AttemptResult {
  if (call.signal?.aborted) return { kind: "aborted", received: "no" };
  if (error instanceof ConfigurationError) return { kind: "misconfigured", error, received: "no" };
  if (error instanceof NoKeyYet) return { kind: "connection", cause: error.cause, code: NO_KEY, received: "no" };
  throw error;
}
