import { parseBody, statusOf, type WireResponse } from "../../src/core/call/body.js";
import type { EndedCall } from "../../src/core/call/ended-call.js";
import type { CallRequest } from "../../src/core/call/request.js";
import type { Operation } from "../../src/core/operation.js";

/** An operation that reads one room, unless the test changes it. */
export function operation(more: Partial<Operation> = {}): Operation {
  return { id: "rooms.get", method: "GET", path: "rooms/{id}", apis: ["main"], ...more };
}

/** A call's request for that operation. */
export function callRequest(of: Partial<Operation> = {}, more: Partial<CallRequest> = {}): CallRequest {
  return {
    operation: operation(of),
    path: "api/v1/rooms/7",
    params: {},
    query: [],
    body: undefined,
    raw: false,
    priority: "interactive",
    signal: undefined,
    settings: {
      timeout: 1_000,
      totalTimeout: 5_000,
      retryLimit: 5,
      backoffLimit: 60_000,
      maxRetryAfter: 600_000,
      validation: "strict",
      onInvalid: "throw",
      headers: {},
    },
    ...more,
  };
}

/** A response as received over the wire. */
export function wireResponse(
  status: number,
  text: string,
  headers: Record<string, string> = { "content-type": "application/json" },
  filtered = false,
): WireResponse {
  return { status, headers: new Headers(headers), text, opaqueRedirect: false, filtered };
}

/** A call that has ended: its only request got this response. */
export function endedCall(
  response: WireResponse,
  of: Partial<Operation> = {},
  more: Partial<EndedCall> = {},
  request: Partial<CallRequest> = {},
): EndedCall {
  const body = parseBody(response);
  return {
    request: callRequest(of, request),
    url: "https://school.example/api/v1/rooms/7",
    redirected: false,
    result: { kind: "response", response, body, status: statusOf(response, body, of.response), retryAfterMs: null },
    attempts: 1,
    waitedMs: 0,
    maybeApplied: false,
    responded: false,
    gaveUp: null,
    token: "key-of-a-response",
    workedAt: null,
    ...more,
  };
}
