import type { EducationAdminError } from "../errors.js";
import { isPlainObject } from "../json.js";
import type { Operation } from "../operation.js";
import type { ListOptions } from "../options.js";
import { redact } from "../redact.js";
import type { Mismatch } from "../validation/issues.js";
import type { ResponseValidation, ResponseValidator } from "../validation/response-validator.js";
import { type Body, hiddenHeadersOf, isBodiless, requestIdOf, type WireResponse } from "./body.js";
import type { ResponseInfo, WithResponse } from "./call.js";
import { errorOf, type FormatProblem } from "./failure.js";
import type { CallRequest } from "./request.js";
import type { EndedCall } from "./run-call.js";
import { sensitiveValues } from "./sensitive-values.js";
import { loadWords } from "./words.js";

const NO_RECORD: Mismatch = { path: [], kind: "missing_field", message: "it holds no record" };

/**
 * Turns what came back into data: the record, the array of a list, or undefined when there was no body.
 * @param now the client's time.
 * @throws the error of the family that the last attempt stands for.
 */
export async function answerOf(
  ended: EndedCall,
  validator: ResponseValidator,
  onInvalid: ListOptions["onInvalid"],
  now: number,
): Promise<WithResponse<unknown>> {
  const { request, result, attempts, waitedMs } = ended;
  const { operation, raw, validate } = request;
  if (result.kind !== "response") throw await failureOf(ended, now);
  const { response, body } = result;
  const info: ResponseInfo = {
    status: response.status,
    headers: response.headers,
    requestId: requestIdOf(response.headers),
    hiddenHeaders: hiddenHeadersOf(response, operation),
    attempts,
    waitedMs,
  };
  // An earlier attempt may have deleted it. Now it is gone, which is what the caller asked for.
  if (result.status === 404 && operation.method === "DELETE" && ended.maybeApplied) {
    return { data: undefined, response: info };
  }
  if (result.status >= 400) throw await failureOf(ended, now);
  const problem = formatProblem(response, body, request);
  if (problem !== null) throw await failureOf(ended, now, problem);
  let values: string[] | undefined;
  const validation: ResponseValidation = {
    mode: request.settings.validation,
    onInvalid: onInvalid ?? "throw",
    attempts,
    trace: request.trace,
    clean: (text) => {
      values ??= sensitiveValues(request, ended.token);
      return redact(text, values);
    },
  };
  if (body.kind !== "json" || (!operation.response && !raw)) {
    if (holdsRecords(operation)) return { data: [], response: info };
    // A successful write must not look failed, so it returns undefined.
    if ((operation.response || validate) && validation.mode === "strict") {
      validator.judge(operation, undefined, null, [NO_RECORD], validation);
    }
    return { data: undefined, response: info };
  }
  return { data: await validated(request, body.value, validation, validator), response: info };
}

async function failureOf(ended: EndedCall, now: number, problem?: FormatProblem): Promise<EducationAdminError> {
  return errorOf(ended, now, await loadWords(), problem);
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
