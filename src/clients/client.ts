import type { Call } from "../core/call/call.js";
import type { RawListRequest, RawRequest } from "../core/call/request.js";
import type { RateLimitState } from "../core/limits/rate-limiters.js";
import type { Pages } from "../core/lists/pages.js";
import type { Operation } from "../core/operation.js";
import type { ClientOptions, ListOptions, RequestOptions } from "../core/options.js";
import { Transport } from "../core/transport.js";
import type { StandardOutput, StandardSchema } from "../core/validation/standard-schema.js";

/** What the three clients have in common. */
export abstract class Client {
  readonly #transport: Transport;

  /**
   * @param operations what the option `routes` may override.
   * @throws ConfigurationError naming the option that is wrong; never echoes the key.
   */
  constructor(options: ClientOptions | Transport, operations: readonly Operation[]) {
    this.#transport = options instanceof Transport ? options : new Transport(options, operations);
  }

  /** The road every request of this client takes. */
  protected get transport(): Transport {
    return this.#transport;
  }

  /** The service's address, as configured. */
  get baseUrl(): string {
    return this.#transport.baseUrl;
  }

  /** How much of the request budget is used, shared by every client with the same token and host. */
  get rateLimit(): RateLimitState {
    return this.#transport.rateLimit;
  }

  /**
   * Sends a request that no operation covers, with the same limits, retries and errors. With a Standard Schema as
   * `response` the call resolves to what the schema parses; without one, to `unknown`.
   * @throws InputError naming every field that is wrong; nothing was sent.
   * @example
   * const courses = await client.request({ method: "GET", path: "api/v1/courses", query: { per_page: 10 } });
   */
  request<Schema extends StandardSchema = StandardSchema>(
    request: RawRequest<Schema>,
    options?: RequestOptions,
  ): Call<StandardOutput<Schema>> {
    return this.#transport.request(request, options);
  }

  /**
   * Prepares a list that no operation covers; its `Link` headers are followed as for every list.
   * @example
   * for await (const course of client.requestPages({ path: "api/v1/courses" })) console.log(course);
   */
  requestPages<Schema extends StandardSchema = StandardSchema>(
    request: RawListRequest<Schema>,
    options?: ListOptions,
  ): Pages<StandardOutput<Schema>> {
    return this.#transport.requestPages(request, options);
  }

  /** What a printout shows: no key. */
  toJSON(): { client: string; baseUrl: string } {
    return { client: this.constructor.name, baseUrl: this.baseUrl };
  }

  /** @internal Node prints this instead of two dozen resources. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `${this.constructor.name} { baseUrl: ${JSON.stringify(this.baseUrl)} }`;
  }
}
