import { bindGetters, bindMethods } from "../core/bind-members.js";
import { type Call, defineMember } from "../core/call/call.js";
import { type Inside, transportIn } from "../core/inside-client.js";
import type { RateLimitState } from "../core/limits/rate-limiters.js";
import type { ClientHealth } from "../core/line/line.js";
import type { Pages } from "../core/lists/pages.js";
import type { Api, Operation, OperationTable } from "../core/operation.js";
import type { ClientOptions, ListOptions, RequestOptions } from "../core/options.js";
import type { Transport } from "../core/transport.js";
import { ClientTransport } from "../lookups/client-transport.js";
import { buildRawRequest, prepareRawList, type RawListRequest, type RawRequest } from "./raw-request.js";
import { resolveRoutes } from "./routes.js";
import type { StandardOutput, StandardSchema } from "./standard-schema.js";

/** Base class of the three clients. */
export abstract class Client {
  /**
   * @param tables the operations of the client's resources; read only when needed.
   * @throws ConfigurationError naming the wrong option, never the key.
   */
  constructor(
    options: ClientOptions | Transport,
    api: Api,
    tables: readonly OperationTable[],
    again: (options: ClientOptions) => object,
  ) {
    const rows = () => tables.flatMap((table) => Object.values(table));
    const operations = () => rows().filter(({ apis }) => apis.includes(api) || apis.includes("organization"));
    const transport = isTransport(options) ? options : connect(options as ClientOptions, operations);
    // A function, so that a printed client does not show its token.
    defineMember(this, "inside", (): Inside => ({ transport, api, operations, again }));
    // Node prints this text instead of dozens of resources. Not a member, because a computed key would keep bundlers
    // from removing an unused class.
    const inspect = () => `${this.constructor.name} { baseUrl: ${JSON.stringify(addressOf(this))} }`;
    defineMember(this, Symbol.for("nodejs.util.inspect.custom"), inspect);
    bindMethods(this);
    bindGetters(this);
  }

  /**
   * The service's address, as configured. @throws ConfigurationError if neither an option nor the environment sets it.
   */
  get baseUrl(): string {
    return transportIn(this).baseUrl;
  }

  /** How much of the rate limit is used; clients with the same token and host share one limit. */
  get rateLimit(): RateLimitState {
    return transportIn(this).rateLimit;
  }

  /**
   * Reports which operations the service refuses and since when, and how many calls wait. Use it in a health check:
   * after a key has been replaced, an operation that stays in `refused` needs attention.
   * @throws ConfigurationError if neither an option nor the environment sets the address.
   * @example
   * const { refused } = client.health();
   * for (const { operation, status, since } of refused) console.log(operation, status, since.toISOString());
   */
  health(): ClientHealth {
    return transportIn(this).health;
  }

  /**
   * Sends a request that no operation covers, with the same limits, retries and errors as operations. With a Standard
   * Schema as `response`, the call resolves to the value that it returns; without one, to the data as `unknown`.
   * @param request an object with `method`, `path` below `baseUrl`, `query`, `body` and `response`.
   * @param options for this call only: `signal`, timeouts, retries, headers, `validation`, `priority`.
   * @throws InputError naming every field that is wrong; nothing was sent.
   * @example
   * const courses = await client.request({ method: "GET", path: "api/v1/courses", query: { per_page: 10 } });
   */
  request<Schema extends StandardSchema = StandardSchema>(
    request: RawRequest<Schema>,
    options?: RequestOptions,
  ): Call<StandardOutput<Schema>> {
    return transportIn(this).callRaw((arrayFormat) => buildRawRequest(request, arrayFormat), options);
  }

  /**
   * Prepares a list that no operation covers; its `Link` headers are followed as for every list.
   * @param request an object with `path` below `baseUrl`, `query` and `response`.
   * @param options for this list only: `resume`, `prefetch`, `maxPages`, `signal`, timeouts, retries, headers.
   * @example
   * for await (const course of client.requestPages({ path: "api/v1/courses" })) console.log(course);
   */
  requestPages<Schema extends StandardSchema = StandardSchema>(
    request: RawListRequest<Schema>,
    options?: ListOptions,
  ): Pages<StandardOutput<Schema>> {
    const { operation, build } = prepareRawList(request);
    return transportIn(this).pagesRaw(operation, build, options);
  }

  /**
   * Returns the class's name and the service's address for `JSON.stringify`, never the key; the address is null if
   * neither an option nor the environment sets it.
   */
  toJSON(): { client: string; baseUrl: string | null } {
    return { client: this.constructor.name, baseUrl: addressOf(this) };
  }
}

function addressOf(client: Client): string | null {
  try {
    return client.baseUrl;
  } catch {
    return null;
  }
}

function connect(options: ClientOptions, operations: () => readonly Operation[]): Transport {
  return new ClientTransport(options, {
    operations,
    routed: (routes) => resolveRoutes(routes, operations()),
    references: async () => (await import("../resources/references.js")).resourceOf,
  });
}

// Not `instanceof`, because the transport may belong to another copy of this library.
function isTransport(options: object | null): options is Transport {
  const { call, pages } = (options ?? {}) as Partial<Transport>;
  return typeof call === "function" && typeof pages === "function";
}
