import { isPlainObject } from "../json.js";
import type { Operation } from "../operation.js";
import type { ListOptions } from "../options.js";
import { redact } from "../redact.js";
import type { Mismatch } from "../validation/issues.js";
import type { ResponseValidation, ResponseValidator } from "../validation/response-validator.js";
import { type Body, hiddenHeadersOf, isBodiless, requestIdOf, type WireResponse } from "./body.js";
import type { ResponseInfo } from "./call.js";
import { errorOf, type FormatProblem, sensitiveValuesOf } from "./failure.js";
import type { CallRequest } from "./request.js";
import type { Sent } from "./send.js";

const NO_RECORD: Mismatch = { path: [], kind: "missing_field", message: "it holds no record" };

/** The data of a call with the facts of its response. */
export interface Answer {
  /** The record, the array of a list, or undefined when there was no body. */
  readonly data: unknown;
  readonly response: ResponseInfo;
}

/**
 * Turns what was sent into data.
 * @param now the client's time.
 * @throws the error of the family that the outcome stands for.
 */
export async function answerOf(
  sent: Sent,
  validator: ResponseValidator,
  onInvalid: ListOptions["onInvalid"],
  now: number,
): Promise<Answer> {
  const { request, outcome, attempts, waitedMs } = sent;
  const { operation, raw, validate } = request;
  if (outcome.kind !== "response") throw errorOf(sent, now);
  const { response, body } = outcome;
  const info: ResponseInfo = {
    status: response.status,
    headers: response.headers,
    requestId: requestIdOf(response.headers),
    hiddenHeaders: hiddenHeadersOf(response, operation),
    attempts,
    waitedMs,
  };
  // An earlier attempt may have deleted it. Now it is gone, which is what the caller asked for.
  if (outcome.status === 404 && operation.method === "DELETE" && sent.maybeApplied) {
    return { data: undefined, response: info };
  }
  if (outcome.status >= 400) throw errorOf(sent, now);
  const problem = formatProblem(response, body, request);
  if (problem !== null) throw errorOf(sent, now, problem);
  const validation: ResponseValidation = {
    mode: request.settings.validation,
    onInvalid: onInvalid ?? "throw",
    attempts,
    trace: request.trace,
    clean: (text) => redact(text, sensitiveValuesOf(sent)),
  };
  if (body.kind !== "json" || (!operation.response && !raw)) {
    if (holdsRecords(operation)) return { data: [], response: info };
    // Otherwise a write that was done must not look failed, so callers get undefined.
    if ((operation.response || validate) && validation.mode === "strict") {
      validator.judge(operation, undefined, null, [NO_RECORD], validation);
    }
    return { data: undefined, response: info };
  }
  return { data: await validated(request, body.value, validation, validator), response: info };
}

function validated(
  { operation, validate }: CallRequest,
  data: unknown,
  validation: ResponseValidation,
  validator: ResponseValidator,
): unknown {
  if (validate) return validate(operation, data, validation, validator);
  return holdsRecords(operation)
    ? validator.records(operation, data as readonly unknown[], validation)
    : validator.record(operation, data, validation);
}

function formatProblem(
  { status }: WireResponse,
  body: Body,
  { operation, raw, validate }: CallRequest,
): FormatProblem | null {
  // Neither a success nor an error of the service.
  if (status < 200 || status >= 300) return body.kind === "notJson" ? "notJson" : "unexpected_status";
  switch (body.kind) {
    // A page from a proxy or a login says nothing about the request, even where no body is expected.
    case "notJson":
      return "notJson";
    case "truncated":
      return operation.response || raw ? "truncated" : null;
    case "empty":
      // Treating this as an empty page would silently end the list.
      if (holdsRecords(operation)) return isBodiless(status) ? null : "empty";
      // A write was done, and must not look failed. A read without its record has given nothing.
      return operation.method === "GET" && (operation.response || validate) ? "empty" : null;
    case "json":
      if (holdsRecords(operation)) return Array.isArray(body.value) ? null : "not_a_list";
      return operation.response && !raw && !isPlainObject(body.value) ? "not_a_record" : null;
  }
}

// The answer is an array: a page of a list, or all there is.
function holdsRecords({ paged, array }: Operation): boolean {
  return paged !== undefined || array === true;
}
