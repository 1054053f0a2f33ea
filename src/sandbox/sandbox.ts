import { MemoryRateLimitStore, type RateLimitStore } from "../core/limits/rate-limit-store.js";
import { resetRateLimiters } from "../core/limits/rate-limiters.js";
import type { RouteOverride } from "../core/options.js";
import { SANDBOX } from "../core/settings.js";
import { createStore } from "./data/create-store.js";
import type { Store } from "./data/store.js";
import type { SandboxSize } from "./data/world.js";
import type { FeatureFlag } from "./engine/behaviour.js";
import { SandboxClock } from "./engine/clock.js";
import { Engine, type RecordedRequest } from "./engine/engine.js";
import { Faults } from "./engine/faults.js";
import { Keys, randomText, type SandboxKeyOptions } from "./engine/keys.js";
import { RateWindow, type SandboxRateLimit } from "./engine/rate-window.js";
import { type SandboxDelivery, SandboxWebhooks } from "./engine/webhooks.js";
import type { Factories } from "./factories.js";
import { createFactories } from "./make.js";

/** How a sandbox is made. */
export interface SandboxOptions {
  /** The same seed gives the same data, on every machine. Default 1. */
  readonly seed?: number | undefined;
  /**
   * How much data: `small` (25 people), `medium` (1 000, the default), `large` (100 000), or a number of people from 1
   * to 10 000 000. There are as many accounts, invoices, orders and enrollments as people; lists are made on demand
   * and never held.
   */
  readonly size?: SandboxSize | undefined;
  /** Address in `baseUrl`. Default: one of its own under `.example`. Requests are taken whatever their host. */
  readonly baseUrl?: string | undefined;
  /** The key in `apiKey`. Default: one of its own. */
  readonly apiKey?: string | undefined;
  /** The API `apiKey` is for. Default: both Main and Admin; see {@link SandboxKeyOptions}. */
  readonly api?: "main" | "admin" | undefined;
  /** Feature flags that are off. Default: none. */
  readonly disabledFeatures?: readonly FeatureFlag[] | undefined;
  /**
   * Requests per key, or false for no limit, which the clients made from the sandbox then keep to as well. Default 500 in
   * 300 000 ms, sliding.
   */
  readonly rateLimit?: SandboxRateLimit | false | undefined;
  /** Paths and methods other than the library's own, as the client's option `routes` has them. */
  readonly routes?: Readonly<Record<string, RouteOverride>> | undefined;
  /** The time at which the sandbox's clock stands still until it is advanced. Default: the machine's time, which goes on. */
  readonly now?: Date | string | undefined;
  /**
   * True: waits on the sandbox's clock take no time. When nothing has happened for 10 ms and something waits for the
   * clock, it jumps there. Wrap slow work of your own, such as a query of a database, in `clock.during`. For clients that use `sandbox.fetch`; a client that comes over HTTP has its own waits. Default
   * false: use `clock.advance`.
   */
  readonly skipWaits?: boolean | undefined;
  /** True: no data but the educator. References of records you add are then up to you. Default false. */
  readonly empty?: boolean | undefined;
  /** Called with every webhook delivery that has ended, for a log. What it throws is dropped. */
  readonly onDelivery?: ((delivery: SandboxDelivery) => void) | undefined;
  /** Called with every request that was answered, for a log. What it throws is dropped. */
  readonly onRequest?: ((request: RecordedRequest) => void) | undefined;
}

/** What a client needs of a sandbox; pass it to the client's constructor. */
export interface SandboxConnection {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Answers as the service would, without a network. Obeys the signal, also while it delays. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  readonly clock: SandboxClock;
  /**
   * Where clients count their requests: with the sandbox, so that `reset()` gives them the whole budget again. False when the
   * sandbox's `rateLimit` is false.
   */
  readonly rateLimit: { readonly store: RateLimitStore } | false;
}

/** The whole service in memory: its three APIs over one store. */
export interface Sandbox extends SandboxConnection {
  /** @internal */
  readonly [SANDBOX]: true;
  /** For a `MainClient`: a key that opens the Main and the Organization API only. */
  readonly main: SandboxConnection;
  /** For an `AdminClient`: a key that opens the Admin and the Organization API only. */
  readonly admin: SandboxConnection;
  /** The records, typed per resource: look at them, write them, and the APIs answer accordingly. */
  readonly store: Store;
  /** Typed factories for every record and every body: `make.account({ name: "Example Ltd" })`. */
  readonly make: Factories;
  /** What was asked so far, the last 10 000 requests; without tokens. */
  readonly requests: readonly RecordedRequest[];
  /** Faults on demand. */
  readonly faults: Faults;
  /** Sends webhooks of what is written. */
  readonly webhooks: SandboxWebhooks;
  /**
   * For the end of a test: checks that every fault of `faults.next` and `webhooks.next` has hit as often as it was to. A fault that
   * never ends must have hit once, unless it has a `probability`.
   * @throws Error naming the faults that are left.
   */
  expectNoFaultsLeft(): void;
  /** Makes one more key, for instance with fewer scopes. */
  createKey(options?: SandboxKeyOptions): string;
  /** Withdraws a key; requests with it are answered with 403. */
  revokeKey(apiKey: string): boolean;
  /**
   * Makes the sandbox as new, for the next test: the seeded data, no requests, no faults, a whole request budget for the service
   * and for the clients made from the sandbox, the time it started with, and no webhook subscriptions or deliveries. What is
   * still under way is abandoned: it is neither carried out nor answered. Keys from `createKey` stay.
   */
  reset(): void;
}

/**
 * Makes a sandbox: the Main, Admin and Organization API in memory, for tests and for trying things by hand.
 * @throws RangeError when an option is out of its range.
 * @example
 * const sandbox = createSandbox({ seed: 7 });
 * const client = new MainClient(sandbox);
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { seed = 1, size = "medium", disabledFeatures = [], rateLimit = {}, routes = {} } = options;
  if (!Number.isSafeInteger(seed)) throw new RangeError("seed must be a whole number");
  const name = randomText("");
  const baseUrl = (options.baseUrl ?? `https://${name}.sandbox.example`).replace(/\/+$/, "");
  const now = options.now === undefined ? undefined : Date.parse(new Date(options.now).toISOString());
  const clock = new SandboxClock({ now, skipWaits: options.skipWaits });
  const faults = new Faults(seed);
  const keys = new Keys();
  const webhooks = new SandboxWebhooks(clock, seed, options.onDelivery);
  const budget = new MemoryRateLimitStore();
  const { store, reset } = createStore({
    seed,
    size,
    empty: options.empty ?? false,
    onEvent: (event, record) => webhooks.send(event, { ...record }),
  });
  const window = rateLimit === false ? null : new RateWindow(rateLimit);
  const { onRequest } = options;
  const engine = new Engine({ store, clock, faults, keys, window, routes, disabledFeatures, baseUrl, onRequest });
  const { fetch } = engine;
  const clientLimit = rateLimit === false ? false : { store: budget };
  const factories = createFactories(store, seed);
  const connection = (api: "main" | "admin"): SandboxConnection => ({
    baseUrl,
    apiKey: keys.addOwn({ api }),
    fetch,
    clock,
    rateLimit: clientLimit,
  });
  return {
    [SANDBOX]: true,
    baseUrl,
    apiKey: keys.addOwn({ api: options.api }, options.apiKey),
    fetch,
    clock,
    rateLimit: clientLimit,
    main: connection("main"),
    admin: connection("admin"),
    store,
    make: factories.make,
    faults,
    webhooks,
    get requests() {
      return engine.requests;
    },
    expectNoFaultsLeft: () => {
      const left = [...faults.unused, ...webhooks.unused];
      if (left.length === 0) return;
      const named = left.map((fault) => JSON.stringify(fault, (_, value) => (value === Infinity ? "Infinity" : value)));
      throw new Error(`no request or delivery met these faults: ${named.join(", ")}`);
    },
    createKey: (keyOptions = {}) => keys.add(keyOptions),
    revokeKey: (apiKey) => keys.delete(apiKey),
    reset: () => {
      reset();
      factories.reset();
      keys.reset();
      budget.clear();
      resetRateLimiters(budget);
      faults.clear();
      webhooks.reset();
      clock.reset();
      window?.reset();
      engine.reset();
    },
  };
}
