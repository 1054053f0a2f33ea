import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
import { afterAll, describe, test } from "vitest";
import { rateLimitStore, type SqliteConnection, webhookInbox } from "../../src/stores/sqlite/index.js";
import { rateLimitStoreTests, webhookInboxTests } from "../../src/stores/testing/index.js";

const folder = mkdtempSync(join(tmpdir(), "stores-"));
afterAll(() => rmSync(folder, { recursive: true }));

const DRIVERS: Record<string, (path: string) => SqliteConnection> = {
  "node:sqlite": (path) => new DatabaseSync(path),
  "better-sqlite3": (path) => new Database(path),
};

describe.each(Object.entries(DRIVERS))("SQLite through %s", (name, open) => {
  const path = join(folder, `${name.replace(":", "-")}.sqlite`);
  // A connection each, as processes have.
  rateLimitStoreTests({ test, create: () => rateLimitStore(open(path)) });
  let inboxes = 0;
  webhookInboxTests({ test, create: () => webhookInbox(open(path), { prefix: `inbox_${++inboxes}_` }) });
});
