import { compileCheck } from "#platform";
import { contradicts, equalityFilters } from "../drift/filters.js";
import { recordsFit } from "../drift/record-validator.js";
import type { ResponseValidator } from "../drift/response-validator.js";
import { type EducationAdminError, ResponseValidationError } from "../errors.js";
import { eventOf, type Observers } from "../events.js";
import { isPlainObject } from "../json.js";
import { type Body, hiddenHeadersOf, holdsRecords, isBodiless, requestIdOf, type WireResponse } from "./body.js";
import type { ResponseInfo, WithResponse } from "./call.js";
import type { EndedCall } from "./ended-call.js";
import { errorOf, type FormatProblem } from "./failure.js";
import type { CallRequest } from "./request.js";
import { tell } from "./trace.js";
import { type FailureWords, loadWords, NO_WORDS } from "./words.js";

/**
 * Validates the responses of one client; loads the code that handles drift when a response does not match its schema.
 */
export class Validation {
  readonly #settings: { readonly on: Observers };
  #validator: ResponseValidator | undefined;
  readonly #ignored = new Set<string>();

  constructor(settings: { readonly on: Observers }) {
    this.#settings = settings;
  }

  get on(): Observers {
    return this.#settings.on;
  }

  validator({ ResponseValidator }: FailureWords): ResponseValidator {
    this.#validator ??= new ResponseValidator(this.on, compileCheck);
    return this.#validator;
  }

  /** Reports, once for each operation and filter, records that contradict a filter. */
  compare({ operation, query, trace }: CallRequest, records: readonly unknown[]): void {
    for (const filter of equalityFilters(query)) {
      const [field] = filter;
      const key = `${operation.id} ${field}`;
      if (this.#ignored.has(key) || !records.some((record) => contradicts(record, filter))) continue;
      this.#ignored.add(key);
      tell(this.on, trace, "drift", { ...eventOf(operation), field, kind: "filter" });
      if (!this.on.drift && this.#ignored.size === 1)
        void loadWords().then((words) => words?.warnOfFilter(operation.id, field));
    }
  }
}

/**
 * Turns the result of a call into data: the record, the array of a list, or undefined if there is no body.
 * @throws the error that describes the last attempt.
 */
export async function readCall(ended: EndedCall, validation: Validation, now: number): Promise<WithResponse<unknown>> {
  const { request, result, attempts, waitedMs } = ended;
  const { operation, raw, validate } = request;
  if (result.kind !== "response") throw await failureOf(ended, now);
  const { response, body } = result;
  const info: ResponseInfo = {
    status: response.status,
    headers: response.headers,
    requestId: requestIdOf(response.headers),
    hiddenHeaders: hiddenHeadersOf(response, operation),
    redirected: ended.redirected,
    attempts,
    waitedMs,
  };
  // An earlier attempt may have deleted the record. In any case it no longer exists, as the caller wanted.
  if (result.status === 404 && operation.method === "DELETE" && ended.maybeApplied) {
    return { data: undefined, response: info };
  }
  if (result.status >= 400) throw await failureOf(ended, now);
  const problem = formatProblem(response, body, request);
  if (problem !== null) throw await failureOf(ended, now, problem);
  if (body.kind !== "json" || (!operation.response && !raw)) {
    if (holdsRecords(operation)) return { data: [], response: info };
    if ((operation.response || validate) && request.settings.validation === "strict") {
      await judgeData(ended, undefined, validation);
    }
    // A successful write must not be reported as a failure.
    return { data: undefined, response: info };
  }
  const { value } = body;
  const data = isAsExpected(request, value) ? value : await judgeData(ended, value, validation);
  if (operation.paged && request.settings.validation !== "off") validation.compare(request, data as readonly unknown[]);
  return { data, response: info };
}

async function failureOf(ended: EndedCall, now: number, problem?: FormatProblem): Promise<EducationAdminError> {
  const error = errorOf(ended, now, await loadWords(), problem);
  // A stack trace holds ten frames: leaving out the library's own makes room for the caller's.
  Error.captureStackTrace?.(error, failureOf);
  return error;
}

function isAsExpected({ operation, params, validate, settings }: CallRequest, value: unknown): boolean {
  if (validate) return false;
  if (settings.validation === "off" || !operation.response) return true;
  if (holdsRecords(operation)) return recordsFit(operation.response, value as readonly unknown[], compileCheck);
  // A cache or a proxy may have returned the response to another request; `judge` decides what to do.
  if (params.id && params.id !== (value as { id?: unknown }).id) return false;
  return recordsFit(operation.response, [value], compileCheck);
}

async function judgeData(ended: EndedCall, data: unknown, validation: Validation): Promise<unknown> {
  const words = await loadWords();
  if (words) return words.judge(ended, data, validation.validator(words), validation.on);
  const { request, attempts } = ended;
  const { id, method } = request.operation;
  if (request.settings.validation !== "strict" && !request.validate) return data;
  const outcome = method === "GET" ? null : "done";
  const details = { operation: id, attempts, issues: [], index: null, id: null, raw: data, outcome } as const;
  throw new ResponseValidationError(`${id}: ${NO_WORDS}`, details);
}

function formatProblem(
  { status }: WireResponse,
  body: Body,
  { operation, raw, validate }: CallRequest,
): FormatProblem | null {
  // Neither a success nor an error from the service; a partial response (206) was never requested.
  if (status < 200 || status >= 300 || status === 206) return body.kind === "notJson" ? "notJson" : "unexpected_status";
  switch (body.kind) {
    // A page from a proxy or a login form does not come from the service, so it is an error even if no body is
    // expected.
    case "notJson":
      return "notJson";
    case "truncated":
      return operation.response || raw ? "truncated" : null;
    case "empty":
      // Treating this as an empty page would silently end the list.
      if (holdsRecords(operation)) return isBodiless(status) ? null : "empty";
      // Only a read fails without its record: a successful write must not be reported as a failure.
      return operation.method === "GET" && (operation.response || validate) ? "empty" : null;
    case "json":
      if (holdsRecords(operation)) return Array.isArray(body.value) ? null : "not_a_list";
      return operation.response && !raw && !isPlainObject(body.value) ? "not_a_record" : null;
  }
}
