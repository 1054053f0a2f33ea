import { type Fail, failuresOf, finite, methods, must, type OptionTable, optionsOf } from "../core/option-checks.js";
import { nameInSql } from "../sql/tables.js";

/** Options for `rateLimitStore` that apply to every kind of database. */
export interface RateLimitStoreOptions extends Pick<WebhookInboxOptions, "prefix"> {
  /**
   * The name of an application whose tokens share one limit of the service: all tokens of this store then share one
   * window and take turns. Default: each token has its own window.
   */
  readonly application?: string | undefined;
  /**
   * The number of processes that use the store. A process that starts while the store is down limits itself to its
   * fraction of the limit. Default 1: the whole limit.
   */
  readonly processes?: number | undefined;
}

/** Options for `webhookInbox` that apply to every kind of database. */
export interface WebhookInboxOptions {
  /**
   * Prefix of the names of tables, functions and keys: at most 40 lower-case letters, digits and `_`. Default
   * `education_admin_`.
   */
  readonly prefix?: string | undefined;
  /**
   * How many milliseconds to remember handled and dead deliveries, and the newest version of each record. This must
   * exceed the time for which the service may send a delivery again. Default 30 days.
   */
  readonly keepMs?: number | undefined;
}

/** Options for `bulkJournal` that apply to every kind of database. */
export type BulkJournalOptions = Pick<WebhookInboxOptions, "prefix">;

export interface RateLimitSettings {
  readonly application: string | null;
  readonly processes: number;
}

const KEEP_MS = 30 * 86_400_000;

export const STORE_OPTIONS = {
  prefix: [/* @__PURE__ */ nameInSql(40), "education_admin_"],
} satisfies OptionTable<BulkJournalOptions>;
const text = /* @__PURE__ */ must<string>((value) => typeof value === "string" && value !== "", "must be text");
const RATE_LIMIT_OPTIONS = {
  ...STORE_OPTIONS,
  application: [text, null],
  processes: [
    /* @__PURE__ */ must<number>(
      (value) => Number.isInteger(value) && (value as number) > 0,
      "must be a whole number above 0",
    ),
    1,
  ],
} satisfies OptionTable<RateLimitStoreOptions>;
export const INBOX_OPTIONS = {
  ...STORE_OPTIONS,
  // Redis accepts only whole milliseconds.
  keepMs: [(option: string, ms: number, fail: Fail) => Math.ceil(finite(option, ms, fail)), KEEP_MS],
} satisfies OptionTable<WebhookInboxOptions>;

export function rateLimitSettings(options: RateLimitStoreOptions): RateLimitSettings & { prefix: string } {
  return optionsOf("rateLimitStore", options, RATE_LIMIT_OPTIONS);
}

export function journalSettings(name: string, options: BulkJournalOptions): { prefix: string } {
  text("name", name, failuresOf("bulkJournal"));
  return optionsOf("bulkJournal", options, STORE_OPTIONS);
}

/** Checks that a connection has the methods that the store calls. @throws ConfigurationError if it lacks one. */
export function checkConnection<T>(what: string, connection: T, ...names: readonly (keyof T & string)[]): void {
  methods<T>(...names)("the connection", connection, failuresOf(what));
}
