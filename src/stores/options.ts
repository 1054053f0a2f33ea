import { ConfigurationError } from "../core/errors.js";
import { checkNames } from "../core/option-checks.js";

/** Options of `rateLimitStore` of every database. */
export interface RateLimitStoreOptions extends Pick<WebhookInboxOptions, "prefix"> {
  /**
   * Names the application whose tokens the service counts together: all keys of this store then share one window, and the
   * keys that wait take turns. Without it each key has a window of its own.
   */
  readonly application?: string | undefined;
  /**
   * How many processes use the store. While it is down and a process has not yet heard from it, each keeps to this part of the
   * limit. Default 1: a process that starts while the store is down may use the whole limit.
   */
  readonly processes?: number | undefined;
}

/** Options of `webhookInbox` of a database. */
export interface WebhookInboxOptions {
  /**
   * What the names of tables, functions and keys begin with: lower-case letters, digits and `_`, at most 40. Default
   * `education_admin_`.
   */
  readonly prefix?: string | undefined;
  /**
   * Milliseconds for which a delivery that was handled or set aside is remembered, and the newest version of a record.
   * Keep it longer than the service may send a delivery again. Default 30 days.
   */
  readonly keepMs?: number | undefined;
}

/** Options of `bulkJournal` of a database. */
export type BulkJournalOptions = Pick<WebhookInboxOptions, "prefix">;

/** How keys and processes share the windows of a store. */
export interface RateLimitSettings {
  readonly application: string | null;
  readonly processes: number;
}

/** Thirty days. */
const KEEP_MS = 2_592_000_000;

/** Checks the options of `rateLimitStore` and fills in what is left out. */
export function rateLimitSettings(options: RateLimitStoreOptions): RateLimitSettings & { prefix: string } {
  checkOptions("rateLimitStore", options, { prefix: 1, application: 1, processes: 1 });
  const { application, processes = 1 } = options;
  if (!(Number.isInteger(processes) && processes >= 1)) {
    throw failure("rateLimitStore")("processes", "must be a whole number above 0");
  }
  if (application !== undefined && (typeof application !== "string" || application === "")) {
    throw failure("rateLimitStore")("application", "must be text");
  }
  return { prefix: prefixOf("rateLimitStore", options.prefix), application: application ?? null, processes };
}

/** Checks the options of `webhookInbox` and fills in what is left out. */
export function inboxSettings(options: WebhookInboxOptions): { prefix: string; keepMs: number } {
  checkOptions("webhookInbox", options, { prefix: 1, keepMs: 1 });
  const { keepMs = KEEP_MS } = options;
  if (!(Number.isFinite(keepMs) && keepMs > 0)) {
    throw failure("webhookInbox")("keepMs", "must be a number of milliseconds above 0");
  }
  return { prefix: prefixOf("webhookInbox", options.prefix), keepMs: Math.ceil(keepMs) };
}

/** A claim of a journal that ends later than in so many milliseconds was made by a clock that was wrong. */
export const LONGEST_CLAIM_MS = 600_000;

/** Checks the name and the options of `bulkJournal` and fills in what is left out. */
export function journalSettings(name: string, options: BulkJournalOptions): { prefix: string } {
  checkOptions("bulkJournal", options, { prefix: 1 });
  if (typeof name !== "string" || name === "") throw failure("bulkJournal")("name", "must be text");
  return { prefix: prefixOf("bulkJournal", options.prefix) };
}

/** Checks that a connection has the methods a store calls. @throws ConfigurationError when one is missing. */
export function checkConnection(what: string, connection: unknown, methods: readonly string[]): void {
  const missing = methods.filter(
    (method) => typeof (connection as Record<string, unknown> | null | undefined)?.[method] !== "function",
  );
  if (missing.length > 0) throw new ConfigurationError(`${what}: the connection must have ${missing.join(" and ")}`);
}

/** Checks that options are an object with known names: JavaScript callers have no compiler. */
export function checkOptions(what: string, options: object, known: Readonly<Record<string, 1>>): void {
  if (typeof options !== "object" || options === null) throw failure(what)("options", "must be an object");
  checkNames(options, known, failure(what));
}

/**
 * The prefix of names in a database. It becomes part of SQL, so nothing else passes.
 * @throws ConfigurationError when it is something else.
 */
export function prefixOf(what: string, prefix: unknown = "education_admin_"): string {
  if (typeof prefix === "string" && /^[a-z_][a-z0-9_]{0,39}$/.test(prefix)) return prefix;
  throw failure(what)("prefix", "must be lower-case letters, digits and _, at most 40, and not begin with a digit");
}

/**
 * The schema of tables, or undefined. It becomes part of SQL, so nothing else passes.
 * @throws ConfigurationError when it is something else.
 */
export function schemaOf(what: string, schema: unknown): string | undefined {
  if (schema === undefined || (typeof schema === "string" && /^[a-z_][a-z0-9_]{0,59}$/.test(schema))) return schema;
  throw failure(what)("schema", "must be lower-case letters, digits and _, at most 60, and not begin with a digit");
}

const failure =
  (what: string) =>
  (option: string, rule: string): ConfigurationError =>
    new ConfigurationError(`${what}: ${option} ${rule}`);
