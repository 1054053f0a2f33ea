// The signatures of @types/better-sqlite3 that the stores and the mirror use, copied from version 9.6.0.
import type { MainClient } from "education-admin-sdk";
import { type MirrorDatabase, mirror, sqlite } from "education-admin-sdk/mirror";
import { rateLimitStore, webhookInbox } from "education-admin-sdk/stores/sqlite";

interface RunResult {
  changes: number;
  lastInsertRowid: number | bigint;
}

interface Statement<BindParameters extends unknown[], Result = unknown> {
  run(...params: BindParameters): RunResult;
  get(...params: BindParameters): Result | undefined;
  all(...params: BindParameters): Result[];
}

interface Database {
  // biome-ignore lint/complexity/noBannedTypes: as the package has it
  prepare<BindParameters extends unknown[] | {} = unknown[], Result = unknown>(
    source: string,
  ): BindParameters extends unknown[] ? Statement<BindParameters, Result> : Statement<[BindParameters], Result>;
  exec(source: string): this;
}

declare const database: Database;

export const copy = (): MirrorDatabase => sqlite(database);
declare const client: MainClient;
// @ts-expect-error the connection must be passed to `sqlite` first
export const unwrapped = (): unknown => mirror(client, database);
export const stores = (): readonly unknown[] => [rateLimitStore(database), webhookInbox(database)];
