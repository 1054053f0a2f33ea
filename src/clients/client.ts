import type { Call } from "../core/call/call.js";
import type { RawRequest } from "../core/call/raw-request.js";
import type { Operation } from "../core/operation.js";
import type { ClientOptions, RequestOptions } from "../core/options.js";
import { type RateLimitState, Transport } from "../core/transport.js";

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
   * Sends a request no operation covers, down the same road: limits, retries, errors. The answer is not typed; give a
   * schema as `response` to have it checked.
   * @example
   * const courses = await client.request({ method: "GET", path: "api/v1/courses", query: { per_page: 10 } });
   */
  request(request: RawRequest, options?: RequestOptions): Call<unknown> {
    return this.#transport.request(request, options);
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
