import { ConfigurationError } from "../core/errors.js";
import { checkNames } from "../core/option-checks.js";

/** Options of every database's `rateLimitStore`. */
export interface RateLimitStoreOptions extends Pick<WebhookInboxOptions, "prefix"> {
  /**
   * The name of an application whose tokens share one limit of the service. All keys of this store then share one
   * window and take turns. Default: each key has its own window.
   */
  readonly application?: string | undefined;
  /**
   * The number of processes that use the store. A process that starts while the store is down limits itself to its
   * fraction of the limit. Default 1: the whole limit.
   */
  readonly processes?: number | undefined;
}

/** Options of `webhookInbox` of a database. */
export interface WebhookInboxOptions {
  /**
   * Prefix of the names of tables, functions and keys: at most 40 lower-case letters, digits and `_`. Default
   * `education_admin_`.
   */
  readonly prefix?: string | undefined;
  /**
   * How long a handled or dead delivery and the newest version of a record are remembered, in milliseconds. This must
   * exceed the time for which the service may send a delivery again. Default 30 days.
   */
  readonly keepMs?: number | undefined;
}

/** Options of `bulkJournal` of a database. */
export type BulkJournalOptions = Pick<WebhookInboxOptions, "prefix">;

export interface RateLimitSettings {
  readonly application: string | null;
  readonly processes: number;
}

/** 30 days. */
const KEEP_MS = 2_592_000_000;

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

export function inboxSettings(options: WebhookInboxOptions): { prefix: string; keepMs: number } {
  checkOptions("webhookInbox", options, { prefix: 1, keepMs: 1 });
  const { keepMs = KEEP_MS } = options;
  if (!(Number.isFinite(keepMs) && keepMs > 0)) {
    throw failure("webhookInbox")("keepMs", "must be a number of milliseconds above 0");
  }
  return { prefix: prefixOf("webhookInbox", options.prefix), keepMs: Math.ceil(keepMs) };
}

export function journalSettings(name: string, options: BulkJournalOptions): { prefix: string } {
  checkOptions("bulkJournal", options, { prefix: 1 });
  if (typeof name !== "string" || name === "") throw failure("bulkJournal")("name", "must be text");
  return { prefix: prefixOf("bulkJournal", options.prefix) };
}

/** Checks that a connection has the methods that the store calls. @throws ConfigurationError if one is missing. */
export function checkConnection(what: string, connection: unknown, methods: readonly string[]): void {
  const missing = methods.filter(
    (method) => typeof (connection as Record<string, unknown> | null | undefined)?.[method] !== "function",
  );
  if (missing.length > 0) throw new ConfigurationError(`${what}: the connection must have ${missing.join(" and ")}`);
}

/**
 * Checks that the options are an object with known names, because JavaScript callers have no compiler to check them.
 */
export function checkOptions(what: string, options: object, known: Readonly<Record<string, 1>>): void {
  if (typeof options !== "object" || options === null) throw failure(what)("options", "must be an object");
  checkNames(options, known, failure(what));
}

/**
 * Checks the prefix of names in the database, because it becomes part of the SQL.
 * @throws ConfigurationError if it is not a safe name.
 */
export function prefixOf(what: string, prefix: unknown = "education_admin_"): string {
  if (typeof prefix === "string" && /^[a-z_][a-z0-9_]{0,39}$/.test(prefix)) return prefix;
  throw failure(what)(
    "prefix",
    "must consist of at most 40 lower-case letters, digits and _, and must not begin with a digit",
  );
}

/**
 * Checks the schema of the tables, because it becomes part of the SQL; undefined stays undefined.
 * @throws ConfigurationError if it is not a safe name.
 */
export function schemaOf(what: string, schema: unknown): string | undefined {
  if (schema === undefined || (typeof schema === "string" && /^[a-z_][a-z0-9_]{0,59}$/.test(schema))) return schema;
  throw failure(what)(
    "schema",
    "must consist of at most 60 lower-case letters, digits and _, and must not begin with a digit",
  );
}

const failure =
  (what: string) =>
  (option: string, rule: string): ConfigurationError =>
    new ConfigurationError(`${what}: ${option} ${rule}`);
