import { errorBodyOf } from "../../core/call/body.js";
import { didYouMean } from "../../core/option-checks.js";
import type { OperationCalls } from "../../generated/operation-calls.js";
import type { OperationId } from "../../generated/operation-id.js";
import type { DayLike, InstantLike } from "../../models/dates.js";
import { allOperations } from "../../operations.js";
import { mannersOf } from "../data/manners.js";
import { readBody, readParams, readQuery } from "./input.js";
import type { Match } from "./router.js";

/** A value as received over the wire: an input that accepts a `Date` or a `Temporal` object arrives as text. */
export type Received<T> = T extends Date | InstantLike | DayLike
  ? never
  : T extends readonly (infer Item)[]
    ? readonly Received<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Received<T[Key]> }
      : T;

/** The input that the sandbox received for an operation, parsed by the operation's own schemas. */
export interface SandboxInput<Id extends OperationId = OperationId> {
  readonly operation: Id;
  /** The path parameters by name. */
  readonly params: OperationCalls[Id]["params"];
  /** The filters and pagination parameters by name, parsed into numbers, lists and so on; `{}` if there are none. */
  readonly query: Received<OperationCalls[Id]["query"]>;
  /** The body; null for an operation without a body. */
  readonly body: Received<OperationCalls[Id]["body"]>;
}

/** The error body of the service. */
export interface SandboxError {
  readonly errors: Readonly<Record<string, readonly string[]>>;
  readonly code: number;
  readonly message: string;
}

/** A request for an operation, and its response. Refused input is shown as sent, with path and query as strings. */
export interface SandboxCall<Id extends OperationId = OperationId> extends SandboxInput<Id> {
  /** Status of the response; null before the response or if the connection broke first. */
  readonly status: number | null;
  /** The data of the response: a record, or the records of the page; null for an error or an empty body. */
  readonly data: OperationCalls[Id]["data"] | null;
  /** The error body of the response; null for a success or for a response that was not JSON. */
  readonly error: SandboxError | null;
  /** Time of arrival by the sandbox's clock, in milliseconds since the epoch. */
  readonly at: number;
}

/** A received request whose input is not parsed yet. @internal */
export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly authorization: string | null;
  readonly contentType: string | null;
  readonly text: string;
  /** The PKCE challenge computed from the verifier of a token request; null for all other requests. */
  readonly proof: string | null;
  readonly matches: readonly Match[];
}

/** @internal */
export interface CallEntry {
  readonly received: Asked;
  readonly request: RecordedRequest & { status: number | null };
  /** The JSON text of the response; null if the response is not JSON. */
  answer: string | null;
}

// The log parses input with the default manners, whatever manners the sandbox has.
const KIND = /* @__PURE__ */ mannersOf();

const KEPT_CALLS = 10_000;
const KEPT_CHARACTERS = 50_000_000;

/**
 * Records the requests to a sandbox. Keeps input and responses as text, and parses them when they are read.
 * @internal
 */
export class CallLog {
  #entries: CallEntry[] = [];
  #characters = 0;

  /** @param hasSecret true to omit the body. */
  add(received: Asked, at: number, hasSecret = false): CallEntry {
    const { method, url, text, matches } = received;
    const request = {
      operation: matches[0]?.row.id ?? null,
      method,
      path: url.pathname,
      query: [...url.searchParams] as [string, string][],
      body: text === "" || hasSecret ? null : parseJson(text),
      status: null,
      at,
    };
    const entry: CallEntry = { received, request, answer: null };
    this.#entries.push(entry);
    this.#characters += text.length;
    return entry;
  }

  recordResponse(entry: CallEntry, status: number, answer: string | null): void {
    entry.request.status = status;
    entry.answer = answer;
    this.#characters += answer?.length ?? 0;
    // Trimmed rarely: copying ten thousand entries for every request would cost more than the request.
    const surplus = this.#entries.length > 2 * KEPT_CALLS ? this.#entries.length - KEPT_CALLS : 0;
    let forgotten = 0;
    const isTooLong = () => this.#characters > KEPT_CHARACTERS && forgotten < this.#entries.length - 1;
    while (forgotten < surplus || isTooLong()) this.#characters -= charactersOf(this.#entries[forgotten++]);
    if (forgotten > 0) this.#entries = this.#entries.slice(forgotten);
  }

  get requests(): readonly RecordedRequest[] {
    return this.#entries.slice(-KEPT_CALLS).map(({ request }) => request);
  }

  of<Id extends OperationId>(operation: Id): readonly SandboxCall<Id>[] {
    checkOperation(operation);
    return this.all.filter((call): call is SandboxCall<Id> => call.operation === operation);
  }

  get all(): readonly SandboxCall[] {
    return this.#entries
      .slice(-KEPT_CALLS)
      .filter(({ request }) => request.operation !== null)
      .map(callOf);
  }

  clear(): void {
    this.#entries = [];
    this.#characters = 0;
  }
}

/** @throws RangeError naming the operation if it does not exist. @internal */
export function checkOperation(operation: unknown, at = ""): void {
  const known = allOperations.map(({ id }) => id);
  if (typeof operation === "string" && known.includes(operation)) return;
  const name = String(operation);
  throw new RangeError(`${at}"${name}" is not the id of an operation${didYouMean(name, known)}`);
}

/** Parses the input of a request; null if its path belongs to no operation. @internal */
export function inputOf({ matches, url, text }: Asked): SandboxInput | null {
  const [first] = matches;
  if (!first) return null;
  const operation = first.row.id as OperationId;
  for (const { row, params } of matches) {
    try {
      const body = row.body ? readBody(row, text) : null;
      const input = { params: readParams(row, params), query: readQuery(row, url.searchParams, KIND), body };
      return { operation, ...input } as SandboxInput;
    } catch {
      // Try the next operation; if there is none, return the input as sent.
    }
  }
  const query = Object.fromEntries(url.searchParams);
  return {
    operation,
    params: first.params,
    query,
    body: text === "" ? null : parseJson(text),
  } as unknown as SandboxInput;
}

/** @internal */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function callOf({ received, request: { status, at }, answer }: CallEntry): SandboxCall {
  const value = answer === null ? null : parseJson(answer);
  const failed = (status ?? 0) >= 400 || errorBodyOf(value, received.matches[0]?.row.response) !== null;
  return {
    ...(inputOf(received) as SandboxInput),
    status,
    data: (failed ? null : value) as SandboxCall["data"],
    error: (failed ? value : null) as SandboxError | null,
    at,
  };
}

function charactersOf(entry: CallEntry | undefined): number {
  return entry ? entry.received.text.length + (entry.answer?.length ?? 0) : 0;
}

/** A request that the sandbox received, without its token. */
export interface RecordedRequest {
  /** Id of the operation, such as `invoices.list`; null if the path belongs to no operation. */
  readonly operation: string | null;
  readonly method: string;
  /** The whole path, including any part before `api/…`, without the query. */
  readonly path: string;
  /** Query parameters as names and values, in the order received. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The parsed body; text if it is not JSON, null without a body. */
  readonly body: unknown;
  /** Status of the response; null before the response or if the connection broke first. */
  readonly status: number | null;
  /** Time of arrival by the sandbox's clock, in milliseconds since the epoch. */
  readonly at: number;
}
