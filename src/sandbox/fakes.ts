import { Call, type ResponseInfo, type WithResponse } from "../core/call/call.js";
import type { EndedCall } from "../core/call/ended-call.js";
import { errorOf } from "../core/call/failure.js";
import * as failureWords from "../core/call/failure-words.js";
import type { CallRequest } from "../core/call/request.js";
import type { ApiError } from "../core/errors.js";
import { type ListParts, PageSource } from "../core/lists/page-source.js";
import { Pages } from "../core/lists/pages.js";
import { nearestName } from "../core/nearest-name.js";
import type { Operation } from "../core/operation.js";
import type { HeadersOption, ListOptions } from "../core/options.js";
import { statusText } from "../core/status-text.js";
import type { OperationId } from "../generated/operation-id.js";
import { allOperations } from "../operations.js";
import { checkOperation } from "./engine/calls.js";
import { errorBody } from "./engine/refusal.js";

/** The metadata of a fake response. */
export type FakeResponse = Partial<Omit<ResponseInfo, "headers">> & { readonly headers?: HeadersOption };

/** Options for {@link fakePages}: those of the list that it replaces, and the page size. */
export interface FakePagesOptions extends Pick<ListOptions, "maxPages" | "prefetch" | "resume" | "signal"> {
  /** Records per page if records are given instead of pages. Default 100, as for a client. */
  readonly pageSize?: number | undefined;
}

/**
 * A call as a resource's methods return it, but without a request: `await` returns the data or throws the error.
 * @param answer the data, or an error to throw.
 * @param response the metadata that `withResponse()` adds to the data. Default: status 200, one attempt, no headers.
 * @example
 * const call = fakeCall(sandbox.make.account({ name: "Example Ltd" }), { requestId: "request-1" });
 * console.log((await call).name, (await call.withResponse()).response.requestId);
 */
export function fakeCall<T>(answer: T | Error, response: FakeResponse = {}): Call<Exclude<T, Error>> {
  const answered =
    answer instanceof Error
      ? Promise.reject(answer)
      : Promise.resolve({ data: answer as Exclude<T, Error>, response: infoOf(response) });
  const call = new Call(answered);
  // The code under test may await a fake late or never; its rejection must not be reported as unhandled.
  call.catch(() => undefined);
  return call;
}

/** An error response for {@link fakeError}. */
export interface FakeErrorOptions {
  /** The operation that receives the response. */
  readonly operation: OperationId;
  /** Status of the response, 400 to 599; determines the class of the error. */
  readonly status: number;
  /** `errors` of the error body, by field. Default: none. */
  readonly errors?: Readonly<Record<string, readonly string[]>> | undefined;
  /** `message` of the error body. Default: the name of the status. */
  readonly message?: string | undefined;
  /** `retryAfterMs` of a 429. Default: unknown. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The error that a call throws for an error response: with the class, properties and message of a real error.
 * @throws RangeError for an unknown operation or a status outside 400 to 599.
 * @example
 * const taken = fakeError({ operation: "accounts.create", status: 422, errors: { email: ["is taken"] } });
 * await fakeCall(taken).catch((error) => console.log(String(error)));
 */
export function fakeError(options: FakeErrorOptions): ApiError {
  const { operation: id, status, errors = {}, message = statusText(status), retryAfterMs = null } = options;
  checkOperation(id);
  if (!(Number.isInteger(status) && status >= 400 && status <= 599)) {
    throw new RangeError("status must be a whole number from 400 to 599");
  }
  const operation = allOperations.find((row) => row.id === id) ?? OPERATION;
  const value = errorBody(status, message, errors);
  const headers = new Headers({ "content-type": "application/json" });
  const response = {
    status,
    headers,
    text: JSON.stringify(value),
    location: null,
    opaqueRedirect: false,
    filtered: false,
  };
  const ended: EndedCall = {
    request: { ...REQUEST, operation },
    url: "https://fake.example",
    redirected: false,
    result: { kind: "response", response, body: { kind: "json", value }, status: response.status, retryAfterMs },
    attempts: 1,
    waitedMs: 0,
    // As in a real call: a refused request changed nothing, but a server error may follow a change.
    maybeApplied: status >= 500,
    responded: true,
    gaveUp: null,
    token: "",
    workedAt: null,
  };
  return errorOf(ended, Date.now(), failureWords) as ApiError;
}

/**
 * A list as a resource's methods return it, but without requests: `await`, `for await`, `byPage`, `take`, `toArray`,
 * `count` and checkpoints work. Pass its records, or its pages as arrays; an error in place of a page is thrown
 * whenever that page is fetched. `with` returns the list itself, so pass records that already contain the joined
 * records.
 * @param options pass on the options of the faked method, so that `resume`, `signal` and `maxPages` work.
 * @throws RangeError when `pageSize` is not a positive whole number.
 * @example
 * const pages = fakePages([[sandbox.make.account()], new Error("page 2 fails")]);
 * console.log((await pages).records.length, (await pages).hasNext);
 */
export function fakePages<T extends object>(
  pages: readonly (readonly T[] | Error)[],
  options?: FakePagesOptions,
): Pages<T>;
/** A list as a resource's methods return it, but without requests: `records` in pages of `pageSize`. */
export function fakePages<T extends object>(records: readonly T[], options?: FakePagesOptions): Pages<T>;
export function fakePages<T extends object>(
  given: readonly (readonly T[] | Error | T)[],
  options: FakePagesOptions = {},
): Pages<T> {
  const { pageSize = 100, ...listOptions } = options;
  if (!Number.isInteger(pageSize) || pageSize < 1) throw new RangeError("pageSize must be a positive whole number");
  return new Pages<T>(new PageSource(fakeList(pagesOf(given, pageSize), pageSize), listOptions));
}

function fakeList(pages: readonly (readonly unknown[] | Error)[], pageSize: number): ListParts {
  const total = pages.reduce<number>((sum, page) => sum + (page instanceof Error ? 0 : page.length), 0);
  const send = async ({ query }: CallRequest): Promise<WithResponse<unknown>> => {
    const at = Number(query.find(([name]) => name === "cursor")?.[1] ?? 0);
    const page = pages[at] ?? [];
    if (page instanceof Error) throw page;
    const isLast = at + 1 >= pages.length;
    const link = isLast ? {} : { link: `<https://fake.example/?cursor=${at + 1}>; rel="next"` };
    return { data: page, response: infoOf({ headers: { ...link, total: String(total) } }) };
  };
  return {
    operation: OPERATION,
    settings: { on: {}, pageSize, baseUrl: "https://fake.example", rateLimit: null, apiKey: null },
    lookups: { join: (source) => source },
    prepare: async () => REQUEST,
    spread: async () => undefined,
    send,
  };
}

/**
 * A fake of a resource with some of its methods. Calling any other method throws an error that names it, so that the
 * test shows which method is missing.
 * @example
 * import type { Accounts } from "education-admin-sdk";
 * const get = (id: number) => fakeCall({ ...sandbox.make.account(), id });
 * const client = { accounts: fakeResource<Accounts>({ get }) };
 * console.log((await client.accounts.get(7)).id);
 */
export function fakeResource<Api extends object>(methods: Partial<Api>): Api {
  return new Proxy(methods, {
    get: (target, name, receiver) => {
      // `await`, and test runners that print a value, also read these properties, so reading them must not throw.
      if (Reflect.has(target, name) || typeof name === "symbol" || NO_METHODS.includes(name)) {
        return Reflect.get(target, name, receiver) as unknown;
      }
      return () => {
        const nearest = nearestName(name, Object.keys(target));
        throw new Error(`${name} is not faked${nearest === null ? "" : `; ${nearest} is`}`);
      };
    },
  }) as Api;
}

const NO_METHODS: readonly string[] = [
  "then",
  "toJSON",
  "asymmetricMatch",
  "nodeType",
  "$$typeof",
  "@@__IMMUTABLE_ITERABLE__@@",
];

const OPERATION: Operation = { id: "fake.list", method: "GET", path: "fake", apis: [], paged: "cursor" };

// A fake request: it is never sent, and errors read only the `headers` of its settings, to redact their values.
const REQUEST = {
  operation: OPERATION,
  path: "fake",
  params: {},
  query: [],
  body: undefined,
  raw: false,
  settings: { headers: {} },
  priority: "interactive",
  signal: undefined,
} as unknown as CallRequest;

function pagesOf<T>(
  given: readonly (readonly T[] | Error | T)[],
  size: number,
): readonly (readonly unknown[] | Error)[] {
  if (given.every((part) => Array.isArray(part) || part instanceof Error)) return given;
  const count = Math.ceil(given.length / size);
  return Array.from({ length: count }, (_, at) => given.slice(at * size, (at + 1) * size));
}

function infoOf({ headers, ...given }: FakeResponse): ResponseInfo {
  return {
    status: 200,
    requestId: null,
    hiddenHeaders: [],
    redirected: false,
    attempts: 1,
    waitedMs: 0,
    ...given,
    headers: new Headers(headers as HeadersInit),
  };
}
