import { copyOf } from "../core/copy.js";
import { MemoryRateLimitStore, type RateLimitStore } from "../core/limits/rate-limit-store.js";
import { resetRateLimiters } from "../core/limits/rate-limiters.js";
import type { FeatureFlag } from "../core/operation.js";
import { SANDBOX } from "../core/settings.js";
import type { OperationId } from "../generated/operation-id.js";
import { checkOptions, timeOf } from "./check-options.js";
import { createStore } from "./create-store.js";
import { SAMPLE_SCHOOL, schoolFrom } from "./custom/definitions.js";
import { withCustom } from "./custom/fields.js";
import { deepFreeze } from "./data/given.js";
import { mannersOf, type SandboxMannerOptions, type SandboxManners, unusual } from "./data/manners.js";
import type { Store } from "./data/store.js";
import { behaviorsOf } from "./domains.js";
import type { RecordedRequest, SandboxCall } from "./engine/calls.js";
import { SandboxClock } from "./engine/clock.js";
import { Engine } from "./engine/engine.js";
import { Faults } from "./engine/fault.js";
import type { Values } from "./engine/input.js";
import { Keys, type SandboxKeyOptions, uniqueText } from "./engine/keys.js";
import { OAuth, type SandboxOAuth } from "./engine/oauth.js";
import { RateWindow } from "./engine/rate-window.js";
import { SandboxWebhooks } from "./engine/webhooks.js";
import { createFactories, type Factories } from "./make.js";
import type { SandboxOptions } from "./options.js";
import { newFieldsOf, peopleOf } from "./twin.js";

declare const SNAPSHOT: unique symbol;

/** The state of a sandbox, for `restore`. Its content is private and may change between versions. */
export interface SandboxSnapshot {
  /** @internal */
  readonly [SNAPSHOT]: true;
}

const AHEAD_MS = { "as the client's": 0, "4 minutes ahead": 240_000, "4 minutes behind": -240_000 } as const;

const SNAPSHOT_VERSION = "3 ";

/** A part of the sandbox whose state a snapshot keeps. */
interface Kept {
  state(): unknown;
  restore(state: never): void;
  reset?(): void;
}

/** The options that connect a client to the sandbox: pass them to the client's constructor. */
export interface SandboxConnection {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Responds as the service would, without a network. The request's signal also aborts a delay. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  readonly clock: SandboxClock;
  /**
   * The store in which clients count their requests. Belongs to the sandbox, so that `reset()` restores the clients'
   * full request budget. False if the sandbox's `rateLimit` is false.
   */
  readonly rateLimit: { readonly store: RateLimitStore } | false;
}

/** The whole service in memory: its three APIs over one store. */
export interface Sandbox extends SandboxConnection {
  /** @internal */
  readonly [SANDBOX]: object;
  /** Connection options for a `MainClient`; the key is valid only for the Main and the Organization API. */
  readonly main: SandboxConnection;
  /** Connection options for an `AdminClient`; the key is valid only for the Admin and the Organization API. */
  readonly admin: SandboxConnection;
  /** The records, typed per resource. The APIs return the records written here. */
  readonly store: Store;
  /** Typed factories for every record and every body: `make.account({ name: "Example Ltd" })`. */
  readonly make: Factories;
  /** The last requests, without tokens; `calls` states how many. An entry is frozen after its response. */
  readonly requests: readonly RecordedRequest[];
  /**
   * The requests for an operation with their input and responses, typed by the operation. The sandbox keeps the last
   * 10,000 requests across all paths, or fewer if their bodies exceed 50 million characters.
   * @throws RangeError for an unknown operation.
   * @example
   * const [call] = sandbox.calls("accounts.create");
   * console.log(call?.body.name, call?.status, call?.data?.id);
   */
  calls<Id extends OperationId>(operation: Id): readonly SandboxCall<Id>[];
  /** The requests for any operation, in order. Requests for an unknown path are only in `requests`. */
  calls(): readonly SandboxCall[];
  /** Makes requests fail, or scripts their responses. */
  readonly faults: Faults;
  /**
   * How the sandbox behaves where the service's documents leave it open: a value for every manner. Print it when a
   * test fails.
   */
  readonly manners: SandboxManners;
  /** Sends webhooks for every write. */
  readonly webhooks: SandboxWebhooks;
  /** Issues tokens at `/login/oauth2/auth` and `/login/oauth2/token`, configured by the `oauth` option. */
  readonly oauth: SandboxOAuth;
  /**
   * Checks at the end of a test that every fault of `faults.next` and `webhooks.next` was applied as often as
   * requested; a request fault with `times: Infinity` and no `probability`, at least once.
   * @throws Error naming the remaining faults.
   */
  expectNoFaultsLeft(): void;
  /**
   * Creates another key, for instance with fewer scopes.
   * @throws RangeError for an unknown option or scope.
   */
  createKey(options?: SandboxKeyOptions): string;
  /**
   * Revokes a key; requests with it get a 403, or the response that the manner `unknownKey` sets. Returns false for an
   * unknown key.
   */
  revokeKey(apiKey: string): boolean;
  /**
   * Restores the initial state for the next test: the seeded data, no requests, no faults, a full request budget for
   * the service and the clients of this process, the initial time, and no webhook subscriptions or deliveries. Abandons
   * requests in progress and calls that wait for the rate limit or a retry: they are not carried out, and their
   * promises settle only if their signal aborts. Keys from `createKey` stay.
   */
  reset(): void;
  /**
   * The current state as a frozen value that can be stored as JSON: records and counters, keys, subscriptions and the
   * time. Contains only what was written, so it is small whatever the size of the sandbox.
   */
  snapshot(): SandboxSnapshot;
  /**
   * Restores the state of a snapshot, as often as needed. Everything else is as after `reset()`: no requests,
   * deliveries or faults, and a full request budget. A snapshot of another sandbox must have the same `seed`, `size`,
   * `empty`, `manners` and custom fields; its subscriptions are not restored.
   * @throws RangeError for any other snapshot or value.
   * @example
   * const before = sandbox.snapshot();
   * await client.invoices.open(7);
   * sandbox.restore(before);
   */
  restore(snapshot: SandboxSnapshot): void;
}

/**
 * Creates a sandbox: the Main, Admin and Organization API in memory, for tests and experiments.
 * @throws RangeError for an unknown option or a value out of its range.
 * @example
 * const sandbox = createSandbox({ seed: 7 });
 * const client = new MainClient(sandbox);
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  checkOptions(options);
  const { seed = 1, twin, rateLimit = {}, routes = {}, data = {} } = options;
  const { size = twin ? peopleOf(twin) : "medium", empty = twin !== undefined } = options;
  const sample = empty ? { ...SAMPLE_SCHOOL, fields: [] } : SAMPLE_SCHOOL;
  const definitions = options.school?.definitions ?? twin?.school;
  const ownSchool = definitions ? schoolFrom(definitions) : sample;
  const { disabledFeatures = (twin?.disabledFeatures ?? []) as readonly FeatureFlag[] } = options;
  const chosenManners = options.manners;
  const isOnTop = twin && typeof chosenManners !== "string";
  const manners = mannersOf(isOnTop ? { ...(twin.manners as SandboxMannerOptions), ...chosenManners } : chosenManners);
  const name = uniqueText();
  const baseUrl = (options.baseUrl ?? `https://${name}.sandbox.example`).replace(/\/+$/, "");
  const clock = new SandboxClock({ ...options, now: timeOf(options.now) });
  const faults = new Faults(seed);
  const now = () => clock.now() + AHEAD_MS[manners.clock];
  const keys = new Keys();
  const oauth = new OAuth(options.oauth ?? {}, { keys, clock, seed, manners });
  const budget = new MemoryRateLimitStore();
  const shared = { seed, name, clock, now, manners };
  const records = createStore({
    ...shared,
    size,
    empty,
    data,
    school: ownSchool,
    twin,
    onEvent: (event, record) => webhooks.send(event, { ...record }),
    onChange: (...change) => engine.noteChange(...change),
  });
  const { store } = records;
  const { onDelivery, onRequest, latency = 0, webhooks: sending = {} } = options;
  const webhooks = new SandboxWebhooks({ ...shared, ...records, options: sending, onDelivery });
  const window = rateLimit === false ? null : new RateWindow(rateLimit, manners);
  const engine = new Engine({
    ...shared,
    ...records,
    newFields: (resource) => (twin ? newFieldsOf(twin, resource) : []),
    behaviorOf: behaviorsOf(store),
    withCustom: (body: Values, resource: string) => withCustom(body, resource, store),
    faults,
    keys,
    oauth,
    window,
    routes,
    disabledFeatures,
    baseUrl,
    latency,
    onRequest,
  });
  const { fetch } = engine;
  const clientLimit: SandboxConnection["rateLimit"] = rateLimit === false ? false : { store: budget };
  const factories = createFactories(store, seed, records.days);
  // Restored in this order: webhooks need their subscriptions, which are among the records.
  const kept: Readonly<Record<string, Kept>> = { records, factories, keys, oauth, webhooks, clock };
  const origin = SNAPSHOT_VERSION + JSON.stringify([seed, size, empty, ownSchool, unusual(manners), twin]);
  // Clears the parts that neither a reset nor a snapshot keeps.
  const forget = () => {
    budget.clear();
    resetRateLimiters(budget);
    faults.clear();
    oauth.forget();
    window?.reset();
    engine.reset();
  };
  const connection = (api: "main" | "admin" | undefined, key?: string) => ({
    baseUrl,
    apiKey: keys.addPermanent({ api }, key),
    fetch,
    clock,
    rateLimit: clientLimit,
  });
  const sandbox = {
    ...connection(options.api, options.apiKey),
    main: { [SANDBOX]: {}, ...connection("main") },
    admin: { [SANDBOX]: {}, ...connection("admin") },
    store,
    manners,
    make: factories.make,
    faults,
    webhooks,
    oauth,
    get requests() {
      return engine.calls.requests;
    },
    calls: <Id extends OperationId>(operation?: Id) =>
      (operation === undefined ? engine.calls.all : engine.calls.of(operation)) as readonly SandboxCall<Id>[],
    expectNoFaultsLeft: () => {
      const left = [...faults.unused, ...oauth.faults.unused, ...webhooks.unused];
      if (left.length === 0) return;
      const named = left.map((fault) => JSON.stringify(fault, shownInJson));
      throw new Error(`these faults were not applied: ${named.join(", ")}`);
    },
    createKey: (keyOptions: SandboxKeyOptions = {}) => keys.add(keyOptions),
    revokeKey: (apiKey: string) => keys.delete(apiKey),
    reset: () => {
      for (const part of Object.values(kept)) part.reset?.();
      forget();
    },
    snapshot: () => {
      const states = Object.entries(kept).map(([part, each]) => [part, each.state()]);
      return deepFreeze({ origin, ...Object.fromEntries(states) }) as unknown as SandboxSnapshot;
    },
    restore: (snapshot: SandboxSnapshot) => {
      const given = snapshot as unknown as Readonly<Record<string, never>>;
      if (given?.origin !== origin) {
        throw new RangeError(
          "the snapshot was not taken from a sandbox with the same seed, size, empty, manners and custom fields",
        );
      }
      // A snapshot that was parsed from JSON is not frozen: copy it, because the caller could still change it.
      const taken = Object.isFrozen(given) ? given : copyOf(given);
      for (const [name, part] of Object.entries(kept)) part.restore(taken[name] as never);
      forget();
    },
  };
  // Lists the sandbox's own properties: a client that is given the sandbox as its options would otherwise refuse them
  // as unknown options.
  return Object.assign(sandbox, { [SANDBOX]: Object.fromEntries(Object.keys(sandbox).map((name) => [name, 1])) });
}

// Names values that JSON cannot express, so that messages can show them.
function shownInJson(_: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY) return "Infinity";
  return typeof value === "function" ? "a function" : value;
}
