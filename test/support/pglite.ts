import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";

const ARTEFACTS = fileURLToPath(new URL("../../.artefacts/", import.meta.url));
const { version } = JSON.parse(
  readFileSync(new URL("../../node_modules/@electric-sql/pglite/package.json", import.meta.url), "utf8"),
) as { version: string };
const FILES = `${ARTEFACTS}pglite-${version}.tar`;

/**
 * Starts a Postgres in this process. The first start creates its files, which takes seconds, and keeps them for later
 * starts.
 */
export async function startPglite(): Promise<PGlite> {
  if (existsSync(FILES)) return PGlite.create({ loadDataDir: new Blob([readFileSync(FILES)]) });
  const database = await PGlite.create();
  mkdirSync(ARTEFACTS, { recursive: true });
  // Other processes look for these files, so they get their final name only when they are complete.
  const part = `${FILES}.${process.pid}`;
  writeFileSync(part, await (await database.dumpDataDir("none")).bytes());
  renameSync(part, FILES);
  return database;
}
