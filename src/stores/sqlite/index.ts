export type { BulkJournal } from "../../bulk/types.js";
export type { DeadDelivery, DurableInbox, InboxOperations } from "../inbox.js";
export type { BulkJournalOptions, RateLimitStoreOptions, WebhookInboxOptions } from "../options.js";
export { bulkJournal } from "./bulk-journal.js";
export type { SqliteConnection, SqliteStatement, SqliteValues } from "./connection.js";
export { webhookInbox } from "./inbox.js";
export { rateLimitStore } from "./rate-limit-store.js";
