import type { Client } from "../clients/client.js";
import type { Call } from "../core/call/call.js";
import type { Clock } from "../core/clock.js";
import { argumentsOf, methodOf, partOf, settingsIn, withSettings } from "../core/inside-client.js";
import type { Pages } from "../core/lists/pages.js";
import type { Operation } from "../core/operation.js";
import type { FetchLike, ListOptions } from "../core/options.js";
import type { Settings } from "../core/settings.js";
import { zoneOf } from "../work/zone.js";
import { ToolProblem } from "./problem.js";

// Hosts wait about a minute for a tool, so a call must end before that.
const MOST_MS = 50_000;

/** The connection of a set of tools: a read-only copy of the client that counts requests. */
export class Session {
  readonly client: Client;
  readonly clock: Clock;
  readonly #most: number;
  readonly #under = new Set<AbortController>();
  #sent = 0;
  #zone: string | null = null;
  // The service's clock at its latest response, in milliseconds; NaN if unknown.
  #serviceTime = Number.NaN;

  constructor(client: Client, most: number) {
    const settings = settingsIn(client);
    this.#most = most;
    this.clock = settings.clock;
    this.client = copyOf(client, settings, (url, init) => this.#fetch(settings.fetch, url, init));
  }

  get sent(): number {
    return this.#sent;
  }

  get left(): number {
    return this.#most - this.#sent;
  }

  /** A note if the clocks of the service and of this machine, on which `today` depends, differ by more than a day. */
  get clockNotes(): readonly string[] {
    const now = this.clock.now();
    if (!(Math.abs(this.#serviceTime - now) > 86_400_000)) return [];
    const service = new Date(this.#serviceTime).toISOString().slice(0, 10);
    return [`The service's clock says ${service}, but "today" and as_of follow this machine's clock.`];
  }

  /** Runs work that sends requests; aborts it if the request budget is spent or the caller's signal aborts. */
  async run<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const stop = () => controller.abort(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
    this.#under.add(controller);
    try {
      return await work(controller.signal);
    } finally {
      this.#under.delete(controller);
      signal?.removeEventListener("abort", stop);
    }
  }

  /** The school's time zone, which defines where its days begin; UTC if it cannot be read. Requested only once. */
  async zone(signal: AbortSignal): Promise<string> {
    const get = methodOf(this.client, "educators.get");
    this.#zone ??= (await zoneOf(get && (() => get({ signal })))) ?? "UTC";
    return this.#zone;
  }

  /** Creates the pages of a list; sends nothing yet. */
  list(operation: Operation, params: Args, query: Args, options: ListOptions): Pages<unknown> {
    return this.#call(operation, params, query, options) as Pages<unknown>;
  }

  record(operation: Operation, params: Args, query: Args, signal: AbortSignal): Call<unknown> {
    return this.#call(operation, params, query, { signal }) as Call<unknown>;
  }

  resource(name: string): unknown {
    return partOf(this.client, name);
  }

  #call(operation: Operation, params: Args, query: Args, options: object): unknown {
    const method = methodOf(this.client, operation.id);
    if (!method) throw new ToolProblem(`this client has no ${operation.id}`);
    return method(...argumentsOf(operation, params, query), options);
  }

  async #fetch(fetch: FetchLike, ...[url, init]: Parameters<FetchLike>): ReturnType<FetchLike> {
    // The client already refuses writes; this is a second safeguard.
    const problem = init.method === "GET" ? null : new ToolProblem("these tools only read", "internal");
    const over = problem ?? (this.left <= 0 ? budgetProblem(this.#most) : null);
    if (over) {
      for (const each of this.#under) each.abort(over);
      throw over;
    }
    this.#sent++;
    const response = await fetch(url, init);
    this.#serviceTime = Date.parse(response.headers.get("date") ?? "");
    return response;
  }
}

type Args = Readonly<Record<string, unknown>>;

function budgetProblem(most: number): ToolProblem {
  return new ToolProblem(
    `the session reached its limit of ${most} requests; tell the user, who can start a new session or allow more (the \`requests\` option)`,
    "budget",
  );
}

function copyOf(client: Client, settings: Settings, fetch: FetchLike): Client {
  const { timeout, totalTimeout, retryLimit, backoffLimit, validation } = settings;
  return withSettings(client, {
    fetch,
    timeout: Math.min(timeout, MOST_MS),
    totalTimeout: Math.min(totalTimeout ?? MOST_MS, MOST_MS),
    retry: { limit: Math.min(retryLimit, 2), backoffLimit },
    validation: validation === "strict" ? "report" : validation,
    readOnly: true,
  });
}
