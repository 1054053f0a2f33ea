import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";

const ARTEFACTS = fileURLToPath(new URL("../../.artefacts/", import.meta.url));
const { version } = JSON.parse(
  readFileSync(new URL("../../node_modules/@electric-sql/pglite/package.json", import.meta.url), "utf8"),
) as { version: string };
const FILES = `${ARTEFACTS}pglite-${version}.tar`;

/**
 * Starts a Postgres in this process. The first start takes seconds, because it creates the database files that later
 * starts reuse.
 */
export async function startPglite(): Promise<PGlite> {
  if (existsSync(FILES)) return PGlite.create({ loadDataDir: new Blob([readFileSync(FILES)]) });
  const database = await PGlite.create();
  mkdirSync(ARTEFACTS, { recursive: true });
  // Other processes look for this file, so it gets its final name only when it is complete.
  const part = `${FILES}.${process.pid}`;
  writeFileSync(part, await (await database.dumpDataDir("none")).bytes());
  renameSync(part, FILES);
  return database;
}
