/**
 * The `./stores/sqlite` entry: rate limits, webhook deliveries, schools' tokens and journals of bulk writes, shared by
 * several processes through an SQLite file.
 */
export type { BulkJournal } from "../../bulk/types.js";
export type { SqliteConnection, SqliteSource, SqliteStatement } from "../../sql/sqlite.js";
export type { BulkJournalOptions, RateLimitStoreOptions, WebhookInboxOptions } from "../options.js";
export type { EncryptionKey, TokenStoreOptions } from "../sealing.js";
export type { DeadDelivery, DurableInbox, InboxOperations } from "../sql-inbox.js";
export type { TokenEntry, TokenFacts, TokenStore } from "../token-store.js";
export { bulkJournal } from "./bulk-journal.js";
export { webhookInbox } from "./inbox.js";
export { rateLimitStore } from "./rate-limit-store.js";
export { sqliteTokens } from "./tokens.js";
