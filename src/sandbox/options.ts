import type { FeatureFlag } from "../core/operation.js";
import type { RouteOverride } from "../core/options.js";
import type { DefinedSchool } from "../school/definitions.js";
import type { SandboxMannerOptions } from "./data/manners.js";
import type { SandboxData } from "./data/store.js";
import type { SandboxSize } from "./data/world.js";
import type { RecordedRequest } from "./engine/calls.js";
import type { SandboxLatency } from "./engine/latency.js";
import type { SandboxOAuthOptions } from "./engine/oauth.js";
import type { SandboxRateLimit } from "./engine/rate-window.js";
import type { SandboxDelivery, SandboxWebhookOptions } from "./engine/subscription.js";
import type { Twin } from "./twin.js";

/** Options for `createSandbox`. */
export interface SandboxOptions {
  /** The same seed gives the same data on every machine and on every day of the same week. Default 1. */
  readonly seed?: number | undefined;
  /**
   * Amount of data: `small` (25 people), `medium` (1,000, the default), `large` (100,000), or a number of people from 1
   * to 10,000,000. There are as many accounts, invoices, orders and enrollments as people. Records are made on first
   * read; each list keeps at most 100,000 of them in memory.
   */
  readonly size?: SandboxSize | undefined;
  /** The sandbox's `baseUrl`. Default: a unique host under `.example`. Requests to any host are accepted. */
  readonly baseUrl?: string | undefined;
  /** The sandbox's `apiKey`. Default: a unique key. */
  readonly apiKey?: string | undefined;
  /** The API to which `apiKey` gives access. Default: both Main and Admin; see `SandboxKeyOptions`. */
  readonly api?: "main" | "admin" | undefined;
  /** Feature flags that are disabled. Default: none. */
  readonly disabledFeatures?: readonly FeatureFlag[] | undefined;
  /**
   * Requests per key in a sliding window; default 500 in 300,000 ms. False removes the limit, including that of clients
   * made from the sandbox.
   */
  readonly rateLimit?: SandboxRateLimit | false | undefined;
  /** Paths and methods that differ from the library's, as in the client's `routes` option. */
  readonly routes?: Readonly<Record<string, RouteOverride>> | undefined;
  /**
   * The sandbox's initial time. Seeded dates lie around its week: some courses have ended, some are in progress, some
   * are in the future, and no record was created after that time. Set it in tests that contain literal dates. Default:
   * the machine's time.
   */
  readonly now?: Date | string | undefined;
  /** True: the clock stands still until advanced. False: it runs. Default: true if `now` is given. */
  readonly freeze?: boolean | undefined;
  /**
   * True to make waits on the sandbox's clock take no time: when nothing has happened for 10 ms and something waits for
   * the clock, the clock skips that wait. Wrap your own slow work, such as a database query, in `clock.during`. Only
   * for clients that use `sandbox.fetch`: a client that connects over HTTP waits on its own clock. Default false: use
   * `clock.advance`.
   */
  readonly skipWaits?: boolean | undefined;
  /**
   * How the sandbox behaves where the service's documents leave it open; docs/sandbox-assumptions.md lists these
   * manners. `"least kind"` is the worst for a careless client, an object sets single manners by name, and `{ seed }`
   * draws random manners that the documents allow. Default: the behavior that is easiest for clients.
   * @example
   * const sandbox = createSandbox({ manners: { custom: "replaced", total: "absent" } });
   * console.log(sandbox.manners.custom);
   */
  readonly manners?: "least kind" | SandboxMannerOptions | undefined;
  /**
   * True to seed only the records that every school has (the educator, the VAT rates and the payment methods) and the
   * custom fields of `school`. Default false.
   */
  readonly empty?: boolean | undefined;
  /**
   * Your own records, by collection of the store. The sandbox fills in other fields to agree with the given ones.
   * References that you omit refer to existing records; if none exists, the sandbox makes one. A record with an
   * existing identifier changes the existing record.
   * @example
   * const sandbox = createSandbox({
   *   empty: true,
   *   data: { accounts: [{ name: "Example Ltd" }], invoices: [{ status: "paid", items: [{ units: 2, unit_price: "10.00" }] }] },
   * });
   * console.log(sandbox.store.invoices.get(1)?.total_incl); // 24.20
   */
  readonly data?: SandboxData | undefined;
  /**
   * A school's own fields: the value exported by the file that `npx education-admin-sdk types` writes, with its sign-up
   * questions, options, custom objects and associations. Seeded records have values for these fields. Default: the
   * fields of an example school; an empty sandbox has none.
   */
  readonly school?: Pick<DefinedSchool, "definitions"> | undefined;
  /**
   * A description of your school: the content of the file that `npx education-admin-sdk twin` writes. The sandbox then
   * has the school's courses, categories and labels, its own fields and its manners, and 200 invented people with their
   * records; `size` sets a different number of people, `seed` draws different people. Other options apply on top.
   */
  readonly twin?: Twin | undefined;
  /** The OAuth application that may request tokens, and the lifetime of the tokens. */
  readonly oauth?: SandboxOAuthOptions | undefined;
  /** Signature, content and retries of webhooks made through the APIs. Default: unsigned, without the record. */
  readonly webhooks?: SandboxWebhookOptions | undefined;
  /**
   * The delay before each response in milliseconds of the sandbox's time, or a function that returns it for a request.
   * Adds to a fault's `delayMs`. Default 0. Over HTTP nothing advances the sandbox's clock, so the wait is real.
   */
  readonly latency?: SandboxLatency | undefined;
  /** Called with every webhook delivery that has ended, for logging. Exceptions it throws are ignored. */
  readonly onDelivery?: ((delivery: SandboxDelivery) => void) | undefined;
  /** Called with every request that got a response, for logging. Exceptions it throws are ignored. */
  readonly onRequest?: ((request: RecordedRequest) => void) | undefined;
}
