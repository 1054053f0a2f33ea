import { errorBodyOf } from "../../core/call/body.js";
import { didYouMean } from "../../core/option-checks.js";
import type { OperationCalls } from "../../generated/operation-calls.js";
import type { OperationId } from "../../generated/operation-id.js";
import { allOperations } from "../../operations.js";
import { mannersOf } from "../data/manners.js";
import { readBody, readParams, readQuery } from "./input.js";
import type { Match } from "./router.js";

/** A value as the wire carries it: where an input takes a `Date`, the service receives text. */
export type Received<T> = T extends Date
  ? never
  : T extends readonly (infer Item)[]
    ? readonly Received<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Received<T[Key]> }
      : T;

/** What the sandbox received for an operation, read by the operation's own schemas. */
export interface SandboxInput<Id extends OperationId = OperationId> {
  readonly operation: Id;
  /** The path parameters by name. */
  readonly params: OperationCalls[Id]["params"];
  /** The filters and pagination parameters by name, as numbers, lists and so on; `{}` when there are none. */
  readonly query: Received<OperationCalls[Id]["query"]>;
  /** The body; null for an operation that takes none. */
  readonly body: Received<OperationCalls[Id]["body"]>;
}

/** The error body of the service. */
export interface SandboxError {
  readonly errors: Readonly<Record<string, readonly string[]>>;
  readonly code: number;
  readonly message: string;
}

/**
 * A request for an operation, and its response. Input that the sandbox refused is here as it was sent: path and query as text.
 */
export interface SandboxCall<Id extends OperationId = OperationId> extends SandboxInput<Id> {
  /** Status of the response; null before the response, and when the connection broke before it. */
  readonly status: number | null;
  /** What the response contained: a record, or the records of the page; null for an error or an empty body. */
  readonly data: OperationCalls[Id]["data"] | null;
  /** The error body of the response; null for a success and for a response that was not JSON. */
  readonly error: SandboxError | null;
  /** When it arrived, by the sandbox's clock, in milliseconds since the epoch. */
  readonly at: number;
}

/** A request as it was received, before its input is read. @internal */
export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly authorization: string | null;
  readonly contentType: string | null;
  readonly text: string;
  /** The challenge for the verifier in a request for tokens; null for all other requests. */
  readonly proof: string | null;
  /** The operations that it may mean. */
  readonly matches: readonly Match[];
}

/** A request that was received, and what was answered. @internal */
export interface CallEntry {
  readonly received: Asked;
  readonly request: RecordedRequest & { status: number | null };
  /** The JSON that was sent; null for none. */
  answer: string | null;
}

// What a call asked for does not depend on how the service reads it.
const KIND = /* @__PURE__ */ mannersOf();

const KEPT_CALLS = 10_000;
const KEPT_CHARACTERS = 50_000_000;

/** Keeps the requests of a sandbox, their input and responses as text that is read when it is asked for. @internal */
export class CallLog {
  #entries: CallEntry[] = [];
  #characters = 0;

  /** @param hasSecret whether the body is not to be shown. */
  add(received: Asked, at: number, hasSecret = false): CallEntry {
    const { method, url, text, matches } = received;
    const request = {
      operation: matches[0]?.row.id ?? null,
      method,
      path: url.pathname,
      query: [...url.searchParams] as [string, string][],
      body: text === "" || hasSecret ? null : parsed(text),
      status: null,
      at,
    };
    const entry: CallEntry = { received, request, answer: null };
    this.#entries.push(entry);
    this.#characters += text.length;
    return entry;
  }

  /** Notes the response to a request; forgets the oldest requests beyond what is kept. */
  answered(entry: CallEntry, status: number, answer: string | null): void {
    entry.request.status = status;
    entry.answer = answer;
    this.#characters += answer?.length ?? 0;
    // Trimmed rarely, because copying ten thousand entries for every request would cost more than the request.
    const surplus = this.#entries.length > 2 * KEPT_CALLS ? this.#entries.length - KEPT_CALLS : 0;
    let forgotten = 0;
    const isTooLong = () => this.#characters > KEPT_CHARACTERS && forgotten < this.#entries.length - 1;
    while (forgotten < surplus || isTooLong()) this.#characters -= charactersOf(this.#entries[forgotten++]);
    if (forgotten > 0) this.#entries = this.#entries.slice(forgotten);
  }

  /** The requests, those for an unknown path too. */
  get requests(): readonly RecordedRequest[] {
    return this.#entries.slice(-KEPT_CALLS).map(({ request }) => request);
  }

  /** @throws RangeError for an operation that does not exist. */
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

/** @throws RangeError naming the operation when there is none of that id. @internal */
export function checkOperation(operation: unknown, at = ""): void {
  const known = allOperations.map(({ id }) => id);
  if (typeof operation === "string" && known.includes(operation)) return;
  const name = String(operation);
  throw new RangeError(`${at}"${name}" is not the id of an operation${didYouMean(name, known)}`);
}

/** Reads the input of a request; null when its path belongs to no operation. @internal */
export function inputOf({ matches, url, text }: Asked): SandboxInput | null {
  const [first] = matches;
  if (!first) return null;
  const operation = first.row.id as OperationId;
  // Where Main and Admin differ, the first operation whose input schemas accept the request is used.
  for (const { row, params } of matches) {
    try {
      const body = row.body ? readBody(row, text) : null;
      const input = { params: readParams(row, params), query: readQuery(row, url.searchParams, KIND), body };
      return { operation, ...input } as SandboxInput;
    } catch {
      // The next one, or the input as it was sent.
    }
  }
  const query = Object.fromEntries(url.searchParams);
  return { operation, params: first.params, query, body: text === "" ? null : parsed(text) } as unknown as SandboxInput;
}

/** JSON as a value; text that is not JSON as it is. @internal */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function callOf({ received, request: { status, at }, answer }: CallEntry): SandboxCall {
  const value = answer === null ? null : parsed(answer);
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
  /** Id of the operation: `invoices.list`; null when the path belongs to none. */
  readonly operation: string | null;
  readonly method: string;
  /** The whole path, including anything before `api/…`, without the query. */
  readonly path: string;
  /** Query parameters as names and values, in the order received. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The parsed body; text when it is not JSON, null when there was none. */
  readonly body: unknown;
  /** Status of the response; null before the response, and when the connection broke before it. */
  readonly status: number | null;
  /** When it arrived, by the sandbox's clock, in milliseconds since the epoch. */
  readonly at: number;
}
