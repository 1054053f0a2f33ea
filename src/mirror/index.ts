/** The `./mirror` entry: a copy of lists in SQLite or Postgres, and the feed of its changes. */

export type {
  PostgresEvents,
  PostgresInProcess,
  PostgresPool,
  PostgresPoolClient,
  PostgresQueries,
  PostgresResult,
} from "../sql/postgres.js";
export type { SqliteConnection, SqliteSource, SqliteStatement } from "../sql/sqlite.js";
export type { HoldAbove } from "../work/hold.js";
export type { Applied } from "./apply.js";
export { type Change, type ChangesOptions, changes, type PruneOptions, prune } from "./changes.js";
export { type ConsumeOptions, consume } from "./consume.js";
export type { MirrorDatabase } from "./database.js";
export type { PostgresOptions, SqliteOptions } from "./databases/names.js";
export { postgres } from "./databases/postgres.js";
export { sqlite } from "./databases/sqlite.js";
export type { MirroredRecord, RecordId } from "./decide.js";
export {
  type ApplyOptions,
  type Freshness,
  type Mirror,
  type MirrorHealth,
  mirror,
  type SyncOptions,
} from "./mirror.js";
export type { Duration, MirrorOptions } from "./options.js";
export type { FeedWait } from "./outage.js";
export { FeedGapError } from "./position.js";
export type { SyncProgress } from "./progress.js";
export type { RepairReport } from "./repair.js";
export type { Held, ListReport, MirrorReport } from "./report.js";
export type { TailReport } from "./tail.js";
export type { ListOf, MirrorRow, MirrorTables, TableOf } from "./types.js";
