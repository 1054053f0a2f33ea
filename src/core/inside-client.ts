import { type Api, type Operation, placeholders, resourceNameOf } from "./operation.js";
import type { ClientOptions } from "./options.js";
import type { Settings } from "./settings.js";
import type { Transport } from "./transport.js";

/**
 * The internal parts of a client, for package entries that accept a client. They are not declared as members of the
 * class, because a private or protected member would make the clients of two copies of this package different types.
 */
export interface Inside {
  readonly transport: Transport;
  readonly api: Api;
  readonly operations: () => readonly Operation[];
  /** Creates another client of the library's own class, even for a caller's subclass. */
  readonly again: (options: ClientOptions) => object;
}

function insideOf(client: object): Inside {
  return (client as { inside(): Inside }).inside();
}

export function transportIn(client: object): Transport {
  return insideOf(client).transport;
}

/** All options of a client, some of which the transport's type hides. */
export function settingsIn(client: object): Settings {
  return transportIn(client).settings as unknown as Settings;
}

export function apiOf(client: object): Api {
  return insideOf(client).api;
}

/** The operations of a client's API and of the Organization API, which every client can call. */
export function operationsIn(client: object): readonly Operation[] {
  return insideOf(client).operations();
}

export type Method = (...args: unknown[]) => unknown;

/**
 * Finds a resource or method by its name, such as `organization.contacts` or `courses.list`; null if there is none. On
 * an OrganizationClient, the prefix `organization.` is ignored.
 */
export function partOf(client: object, name: string): unknown {
  const path = "organization" in client ? name : name.replace(/^organization\./, "");
  return path
    .split(".")
    .reduce<unknown>(
      (owner, part) => (owner as Readonly<Record<string, unknown>> | null | undefined)?.[part] ?? null,
      client,
    );
}

export function methodOf(client: object, id: string): Method | null {
  const method = partOf(client, id);
  const owner = partOf(client, resourceNameOf(id));
  return typeof method === "function" ? (...args) => method.apply(owner, args) : null;
}

/**
 * The arguments of an operation's method: a single path parameter is positional, several path parameters are one
 * object. The query follows if the method accepts it.
 */
export function argumentsOf(
  operation: Operation,
  params: Readonly<Record<string, unknown>>,
  query: object,
): readonly unknown[] {
  const names = placeholders(operation);
  const takesQuery = operation.query !== undefined || (operation.paged !== undefined && operation.paged !== "none");
  return [...(names.length < 2 ? names.map((name) => params[name]) : [params]), ...(takesQuery ? [query] : [])];
}

/**
 * Copies a client with some options changed; the copy shares the rate limit. The copy is an instance of the library's
 * class, because the constructor of a caller's subclass may need other arguments.
 */
export function withSettings<C extends object>(client: C, changes: ClientOptions): C {
  const { retryLimit, backoffLimit, maxRetryAfter, totalTimeout, onInvalid, rateLimit, store, school, given, ...same } =
    settingsIn(client);
  return insideOf(client).again({
    ...same,
    ...given,
    totalTimeout: totalTimeout ?? undefined,
    retry: { limit: retryLimit, backoffLimit, maxRetryAfter },
    rateLimit: rateLimit ? { ...rateLimit, store } : false,
    school: school && { connect: () => school },
    // The options of the original client have already passed the check for browsers.
    dangerouslyAllowBrowser: true,
    ...changes,
  }) as C;
}
