// Compiled, never run: every line must be as the comment beside it says, or the compiler complains.
import { DatabaseSync } from "node:sqlite";
import { PGlite } from "@electric-sql/pglite";
import Database from "better-sqlite3";
import pg from "pg";
import type { MainClient } from "../../src/index.js";
import { type MirrorDatabase, type MirrorTables, mirror, postgres, sqlite } from "../../src/mirror/index.js";

type Tables = MirrorTables<MainClient>;

declare const account: Tables["accounts"];
declare const current: Tables["current_accounts"];
declare const payment: Tables["payments"];
declare const contact: Tables["current_organization_contacts"];

export const name: string = account.name;
export const gone: string | null = account.gone_at;
export const own: string = current.name;
// @ts-expect-error a view shows what is not gone
export const never: string | null = current.gone_at;
// A list that is called otherwise, because it is below another record.
export const amount: string = payment.amount;
// A list of the Organization API.
export const id: number = contact.id;

// What `mirror` takes is made by `sqlite` and `postgres`: the connection itself is no database of a mirror.
export const inFile = (): MirrorDatabase => sqlite(new DatabaseSync(":memory:"));
export const inOtherFile = (): MirrorDatabase => sqlite(new Database(":memory:"));
export const inServer = (): MirrorDatabase => postgres(new pg.Pool(), { schema: "school" });
export const inProcess = async (): Promise<MirrorDatabase> => postgres(await PGlite.create());
declare const client: MainClient;
// @ts-expect-error a pool
mirror(client, new pg.Pool());
// @ts-expect-error a connection
mirror(client, new DatabaseSync(":memory:"));
// @ts-expect-error a client of pg ends transactions of others
postgres(new pg.Client());
// @ts-expect-error a pool is no SQLite
sqlite(new pg.Pool());
