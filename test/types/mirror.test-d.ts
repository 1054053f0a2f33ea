// Compiled but never run. The compiler complains unless each line is an error exactly where the comment beside it says
// so.
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
// @ts-expect-error a `current_` view has only records that are not gone, so it lacks gone_at
export const never: string | null = current.gone_at;
// The table of a list below another record has a different name.
export const amount: string = payment.amount;
// A list of the Organization API.
export const id: number = contact.id;

// `mirror` accepts the results of `sqlite` and `postgres`, but not the connection itself.
export const inFile = (): MirrorDatabase => sqlite(new DatabaseSync(":memory:"));
export const inOtherFile = (): MirrorDatabase => sqlite(new Database(":memory:"));
export const inServer = (): MirrorDatabase => postgres(new pg.Pool(), { schema: "school" });
export const inProcess = async (): Promise<MirrorDatabase> => postgres(await PGlite.create());
declare const client: MainClient;
// @ts-expect-error `mirror` does not accept a pool
mirror(client, new pg.Pool());
// @ts-expect-error `mirror` does not accept a connection
mirror(client, new DatabaseSync(":memory:"));
// @ts-expect-error a single client of pg would end the transactions of its other users
postgres(new pg.Client());
// @ts-expect-error a pool is not an SQLite connection
sqlite(new pg.Pool());
