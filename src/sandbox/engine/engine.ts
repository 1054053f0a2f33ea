import { raceAbort } from "../../core/abort.js";
import { wait } from "../../core/clock.js";
import { callObserver } from "../../core/events.js";
import { resetRateLimiterOf } from "../../core/limits/rate-limiters.js";
import { type FeatureFlag, type Operation, resourceNameOf } from "../../core/operation.js";
import type { RouteOverride } from "../../core/options.js";
import { fieldsOf, traitsOf } from "../../core/schema/traits.js";
import { statusText } from "../../core/status-text.js";
import { allOperations } from "../../operations.js";
import { deepFreeze } from "../data/given.js";
import { NEW_VALUE } from "../data/mannered.js";
import type { SandboxManners } from "../data/manners.js";
import type { Store } from "../data/store.js";
import {
  type Answer,
  cutStream,
  forbidden,
  hasOwnAnswer,
  refusedAnswer,
  refusedBy,
  singleAnswer,
  tooMany,
} from "./answers.js";
import { type AnyRecord, type Inquiry, isListing, type WholeBehavior } from "./behavior.js";
import { type Asked, CallLog, inputOf, type RecordedRequest } from "./calls.js";
import { nextTurn, type SandboxClock, type Work } from "./clock.js";
import { applyDrift, type Fault, type Faults } from "./fault.js";
import { hiddenFields } from "./features.js";
import { readBody, readInclude, readParams, readQuery, type Values } from "./input.js";
import { type Key, type Keys, permits } from "./keys.js";
import { delay, forever, latencyOf, type SandboxLatency } from "./latency.js";
import { challengeIn, OAuth } from "./oauth.js";
import { pageOf, totals } from "./paging.js";
import { one, plain } from "./plain.js";
import type { RateWindow } from "./rate-window.js";
import { Recent } from "./recent.js";
import { Existing, Refusal } from "./refusal.js";
import { type Match, Router } from "./router.js";
import { checkContentType, checkDoubts, checkPath, checkReferences, checkRules } from "./rules.js";
import { requiredFields, storedAs, withPlaces, withTimes } from "./shaping.js";

// The rights of a caller without a key.
const ANYONE: Key = { api: "both", scopes: [] };

// Shared by all sandboxes without custom routes, to save memory.
let usualRouter: Router | undefined;

interface EngineParts {
  readonly writeInternally: <R>(write: () => R) => R;
  readonly store: Store;
  readonly manners: SandboxManners;
  readonly now: () => number;
  /** The fields of a resource's records that are in no schema. */
  readonly newFields: (resource: string) => readonly string[];
  readonly version: () => number;
  readonly behaviorOf: (resource: string) => WholeBehavior;
  /**
   * Returns the body with its answers to sign-up questions moved into `custom`.
   * @throws Refusal for an unknown custom field or an invalid value.
   */
  readonly withCustom: (body: Values, resource: string) => Values;
  readonly clock: SandboxClock;
  readonly faults: Faults;
  readonly keys: Keys;
  readonly oauth: OAuth;
  readonly window: RateWindow | null;
  readonly routes: Readonly<Record<string, RouteOverride>>;
  readonly disabledFeatures: readonly FeatureFlag[];
  readonly baseUrl: string;
  readonly latency: SandboxLatency;
  readonly onRequest: ((request: RecordedRequest) => void) | undefined;
}

/**
 * Responds to requests: checks the key and the rate window, routes, parses the input, and applies behavior, paging and
 * faults.
 */
export class Engine {
  readonly #parts: EngineParts;
  readonly #router: Router;
  readonly calls = new CallLog();
  readonly #hiddenFields: ReturnType<typeof hiddenFields>;
  readonly #totalOf: ReturnType<typeof totals>;
  readonly #recent: Recent;
  // True while a request is carried out: reads may return its changes after a delay, but a test's own changes to the
  // store immediately.
  #operating = false;
  // The keys used with each host; null for requests without a key. In this process, clients that were not made from the
  // sandbox share a rate limiter per host and key, which `reset` must clear.
  readonly #callers = new Map<string, Set<string | null>>();
  #count = 0;
  // Increases with every reset; earlier requests are abandoned.
  #round = 0;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    usualRouter ??= new Router(allOperations);
    this.#router = Object.keys(parts.routes).length > 0 ? new Router(allOperations, parts.routes) : usualRouter;
    this.#hiddenFields = hiddenFields(parts.disabledFeatures);
    this.#totalOf = totals(parts.version);
    this.#recent = new Recent(parts.manners, () => parts.clock.now());
  }

  noteChange(...change: Parameters<Recent["note"]>): void {
    if (this.#operating) this.#recent.note(...change);
  }

  /** Forgets all requests, and abandons requests in progress without a response. */
  reset(): void {
    this.#round++;
    this.#count = 0;
    this.calls.clear();
    this.#recent.clear();
    for (const [host, tokens] of this.#callers) for (const token of tokens) resetRateLimiterOf(host, token);
    this.#callers.clear();
  }

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { clock } = this.#parts;
    const { signal } = request;
    const round = this.#round;
    signal.throwIfAborted();
    const work = clock.begin();
    try {
      const text = await request.text();
      signal.throwIfAborted();
      if (round !== this.#round) {
        work.pause();
        return await forever(signal);
      }
      const url = new URL(request.url);
      const { method, headers } = request;
      const [authorization, contentType] = [headers.get("authorization"), headers.get("content-type")];
      const proof = OAuth.isToken(url.pathname) ? await challengeIn(text) : null;
      // HEAD is a GET whose response has no body (RFC 9110, 9.3.2).
      const matches = this.#router.match(method === "HEAD" ? "GET" : method, url.pathname);
      const asked = { method, url, authorization, contentType, text, proof, matches };
      const response = await this.#respond(asked, signal, work);
      return method === "HEAD" ? new Response(null, response) : response;
    } finally {
      work.pause();
    }
  };

  async #respond(asked: Asked, signal: AbortSignal, work: Work): Promise<Response> {
    const { clock, keys, latency, manners } = this.#parts;
    const { host } = asked.url;
    const known = keys.read(asked.authorization);
    const isCounted = known !== null || asked.authorization === null;
    if (isCounted) this.#callers.set(host, (this.#callers.get(host) ?? new Set()).add(known?.token ?? null));
    const entry = this.calls.add(asked, clock.now(), OAuth.has(asked.url.pathname));
    try {
      const fault = this.#fault(asked, entry.request.operation);
      const delayMs = latencyOf(latency, entry.request) + (fault?.delayMs ?? 0);
      // Carry out the request before the delay, because the caller may give up during the delay.
      const applied = fault ? this.#apply(fault, asked) : null;
      if (delayMs > 0) await this.#idle(work, () => delay(clock, delayMs, signal));
      let answer =
        fault && hasOwnAnswer(fault)
          ? refusedBy(fault)
          : applied
            ? await this.#idle(work, () => raceAbort(applied, signal))
            : this.#answer(asked);
      if (answer.late) {
        await nextTurn();
        answer = { ...answer, body: { json: answer.late() } };
      }
      const text = textOf(answer, fault, manners);
      this.calls.recordResponse(entry, answer.status, isJson(answer) ? text : null);
      return this.#write(answer, text, fault);
    } finally {
      callObserver(this.#parts.onRequest, deepFreeze(entry.request));
    }
  }

  // Faults of operations do not apply to the authorization server.
  #fault(asked: Asked, operation: string | null): Fault | null {
    const { faults, oauth } = this.#parts;
    const { pathname } = asked.url;
    if (OAuth.isToken(pathname)) return oauth.faults.take(null, () => null);
    return OAuth.has(pathname) ? null : faults.take(operation, () => inputOf(asked));
  }

  // Carries out a request even if the caller no longer waits; null if the fault sets neither `applied` nor
  // `appliedAfterMs`.
  #apply(fault: Fault, asked: Asked): Promise<Answer> | null {
    const { applied = false, appliedAfterMs = applied ? 0 : null } = fault;
    if (appliedAfterMs === null) return null;
    if (appliedAfterMs === 0) return Promise.resolve(this.#answer(asked));
    return wait(this.#parts.clock, appliedAfterMs, undefined).then(() => this.#answer(asked));
  }

  // Pauses the work while the request only waits, so that the clock can skip the wait.
  async #idle<T>(work: Work, waiting: () => Promise<T>): Promise<T> {
    work.pause();
    try {
      return await waiting();
    } finally {
      work.resume();
    }
  }

  #answer(asked: Asked): Answer {
    if (OAuth.has(asked.url.pathname)) return this.#parts.oauth.answer(asked);
    try {
      return this.#carryOut(asked);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return refusedAnswer(error, asked.matches[0]?.row, this.#parts.manners);
    }
  }

  #carryOut(asked: Asked): Answer {
    const { matches } = asked;
    const { clock, keys, window, disabledFeatures, oauth, manners, now } = this.#parts;
    const known = keys.read(asked.authorization);
    const retryAfter = window?.admit(known?.key.application ?? known?.token ?? "", clock.now()) ?? null;
    if (retryAfter !== null) throw tooMany(retryAfter, manners, now());
    if (known?.key.endsAt !== undefined) {
      if (known.key.endsAt <= clock.now()) {
        throw forbidden(manners.endedKeys, "the access token has expired", {
          "www-authenticate": 'Bearer error="invalid_token"',
        });
      }
      oauth.noteUse(known.token);
    }
    // rule: a request for an unknown path, for an unknown identifier or for an operation of the other API gets a 404.
    const isPublic = asked.authorization === null && matches.some(({ row }) => this.#isPublic(row));
    if (!known && !isPublic) {
      const status = asked.authorization === null ? manners.withoutKey : manners.unknownKey;
      throw forbidden(status, "a valid access token is needed");
    }
    const key = known?.key ?? ANYONE;
    const offered = matches.filter(({ row }) => key.api === "both" || isOfferedBy(key.api, row));
    const [first] = offered;
    if (!first) throw new Refusal(404, "Not Found");
    if (!isPublic && !permits(key, first.row)) {
      throw forbidden(manners.missingScope, "the access token lacks the scope for this operation");
    }
    const { feature } = first.row;
    if (feature && disabledFeatures.includes(feature))
      throw forbidden(manners.missingFlag, `${feature} is not enabled`);
    return this.#operate(this.#inquire(asked, offered, key, isPublic), asked);
  }

  // rule: without a key, only published courses, planned courses, categories, catalog products and catalog variants can
  // be read: lists leave out unpublished records, a request for a single unpublished one gets a 404, and every other
  // request gets a 403.
  #isPublic({ id, method }: Operation): boolean {
    return method === "GET" && this.#parts.behaviorOf(resourceNameOf(id)).published !== undefined;
  }

  // If an operation differs between Main and Admin, uses the first variant whose input schemas accept the request.
  #inquire(asked: Asked, offered: readonly Match[], key: Key, isPublic: boolean): Inquiry {
    const { store, now, manners, baseUrl, behaviorOf } = this.#parts;
    if (manners.doubts === "refused" && offered[0]?.row.body) checkContentType(asked.contentType);
    let refusal: unknown;
    for (const { row, params } of offered) {
      try {
        return {
          row,
          behavior: this.#reading(row, behaviorOf(resourceNameOf(row.id))),
          manners,
          api: key.api,
          isPublic,
          params: readParams(row, params),
          query: readQuery(row, asked.url.searchParams, manners),
          include: readInclude(row, asked.url.searchParams),
          body: readBody(row, asked.text, manners.leads),
          store,
          now: new Date(now()).toISOString(),
          baseUrl,
        };
      } catch (error) {
        refusal ??= error;
      }
    }
    throw refusal;
  }

  // Depending on the manners, reads return recent writes only after a delay.
  #reading(row: Operation, behavior: WholeBehavior): WholeBehavior {
    if (row.method !== "GET") return behavior;
    const name = resourceNameOf(row.id);
    return { ...behavior, records: (inquiry) => this.#recent.asRead(name, behavior.records(inquiry)) };
  }

  #operate(received: Inquiry, { url }: Asked): Answer {
    const { behavior, row, query, api, manners } = received;
    const resource = resourceNameOf(row.id);
    checkPath(received);
    behavior.checkPath?.(received);
    checkRules(received.body, manners.doubts);
    checkReferences(received.body, received);
    if (manners.doubts === "refused") checkDoubts(received);
    const body = storedAs(received.body, manners);
    const inquiry = { ...received, body: this.#parts.withCustom(body, resource) };
    const handle = behavior.operations?.[row.id.slice(resource.length + 1)] ?? plain;
    this.#operating = true;
    let result: object | void;
    let status = row.status ?? 200;
    try {
      result = this.#parts.writeInternally(() => handle(inquiry, () => one(inquiry)));
    } catch (error) {
      if (!(error instanceof Existing)) throw error;
      result = error.record;
      status = 200;
    } finally {
      this.#operating = false;
    }
    if (status === 201 && manners.createdStatus === "200") status = 200;
    if (!row.response || result === undefined) return { status, headers: {}, body: null };
    // An array has no identifiers to page by, so it is returned unchanged.
    if (Array.isArray(result)) return { status, headers: {}, body: { json: result } };
    const shown = this.#withIncluded(this.#showing(row, api, behavior.hidden), received);
    if (!isListing(result)) return singleAnswer(inquiry, result, status, shown);
    // Requests without a key see fewer records, so they must not use the cached count.
    const totalOf = received.isPublic ? (_list: number, count: () => number) => count() : this.#totalOf;
    const now = this.#parts.clock.now();
    const page = pageOf(result, { operation: row, url, query, manners, now, totalOf });
    const headers = {
      ...(page.link !== null && { link: page.link }),
      ...(page.total !== null && { total: String(page.total) }),
    };
    const { show = (record) => record } = result;
    return { status, headers, body: { json: page.records.map((record) => shown(show(record))) } };
  }

  #withIncluded(shown: (record: object) => object, { include, behavior }: Inquiry): (record: object) => object {
    if (include.length === 0) return shown;
    return (record) => {
      const { included = {} } = behavior;
      const fields = include.map((name) => [name, included[name]?.(record as AnyRecord) ?? (record as Values)[name]]);
      return { ...shown(record), ...Object.fromEntries(fields) };
    };
  }

  // Reduces a stored record to the fields that the operation returns: those of its schema and of `newFields`, or all
  // except `hidden` if the schema accepts any field. Omits fields whose feature flag is disabled.
  #showing(
    { id, response }: Operation,
    api: Inquiry["api"],
    hidden: readonly string[] = [],
  ): (record: object) => object {
    const fields = fieldsOf(response);
    const newFields = this.#parts.newFields(resourceNameOf(id));
    const traits = response && traitsOf(response);
    const open = traits?.kind === "object" && traits.open;
    const flagged = this.#hiddenFields(response, api);
    const isShown = (name: string) =>
      ((open && !hidden.includes(name)) || name in fields || newFields.includes(name)) && !flagged.includes(name);
    return (record) => {
      const shown: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(record)) if (isShown(name)) shown[name] = value;
      const { optionalFields, decimals, newFields: more } = this.#parts.manners;
      if (more === "some") shown[NEW_VALUE] = "Text";
      const present = optionalFields === "absent" ? requiredFields(shown, response) : shown;
      return withPlaces(present, response, decimals) as object;
    };
  }

  #write(answer: Answer, text: string | null, fault: Fault | null): Response {
    const date = new Date(this.#parts.now()).toUTCString();
    const headers = new Headers({ date, ...answer.headers, "x-request-id": `request-${++this.#count}` });
    if (text !== null) {
      headers.set("content-type", isJson(answer) ? "application/json; charset=utf-8" : "text/html; charset=utf-8");
    }
    for (const [name, value] of Object.entries(fault?.headers ?? {})) {
      if (value === null) headers.delete(name);
      else headers.set(name, value);
    }
    const { status } = answer;
    if (text === null) return new Response(null, { status, headers, statusText: statusText(status) });
    const cut = fault?.cut === true ? 0.5 : fault?.cut;
    const sent = typeof cut === "number" ? cutStream(text, cut) : text;
    return new Response(sent, { status, headers, statusText: statusText(status) });
  }
}

function isJson({ body }: Answer): boolean {
  return body !== null && "json" in body;
}

function textOf({ body }: Answer, fault: Fault | null, { times }: SandboxManners): string | null {
  if (!body) return null;
  if ("text" in body) return body.text;
  return withTimes(JSON.stringify(fault?.drift ? applyDrift(body.json, fault.drift) : body.json), times);
}

function isOfferedBy(api: "main" | "admin", { apis }: Operation): boolean {
  return apis.includes(api) || apis.includes("organization");
}
