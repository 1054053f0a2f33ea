import { lstat, readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import { BulkError } from "../bulk/errors.js";
import { PLAN_BEGINS } from "../bulk/node-kept.js";
import { MEMORY_BEGINS } from "../bulk/node-memory-lines.js";
import { isEducationAdminError } from "../core/errors.js";
import type { MirrorDatabase } from "../mirror/database.js";
import { sqlite } from "../mirror/databases/sqlite.js";
import { isBusy } from "../sql/sqlite.js";
import { beginOf, orNull } from "../work/place/node-files.js";
import type { FileKind } from "./cut-text.js";

/** A file below a folder, with its content. */
export interface FoundFile {
  readonly path: string;
  /** Null for files that hold no rows. */
  readonly kind: FileKind | "sqlite" | "unread" | null;
  /** The content; of a compressed file, what it contains; of one that is too large to be read, its first bytes. */
  readonly bytes: Buffer;
  readonly isZipped: boolean;
  /** Number of names (hard links) that the file has. */
  readonly links: number;
}

const SKIPPED: readonly string[] = ["node_modules", ".git"];
const NEW_LINE = 10;
// A text can hardly be longer.
const MOST_BYTES = 400_000_000;
const HEAD_BYTES = 64;

/** The paths of all files below a folder, without those of links. A file is its own only path. */
export async function filesBelow(path: string): Promise<readonly string[]> {
  const stats = await orNull(lstat(path));
  if (stats?.isFile()) return [path];
  if (!stats?.isDirectory()) return [];
  const names = (await readdir(path)).filter((name) => !SKIPPED.includes(name)).sort();
  return (await Promise.all(names.map((name) => filesBelow(join(path, name))))).flat();
}

/** Reads a file; null if it is gone. */
export async function readFound(path: string): Promise<FoundFile | null> {
  const stats = await orNull(lstat(path));
  const isLarge = (stats?.size ?? 0) > MOST_BYTES;
  const given = await orNull(isLarge ? beginOf(path, HEAD_BYTES) : readFile(path));
  if (!stats || !given) return null;
  const isZipped = given[0] === 0x1f && given[1] === 0x8b;
  const bytes = isZipped ? gunzipSync(given) : given;
  const kind = kindOf(path, bytes);
  return { path, kind: isLarge && kind !== "sqlite" ? "unread" : kind, bytes, isZipped, links: stats.nlink };
}

/** The bytes of a file whose text has changed. */
export function bytesOf({ isZipped, bytes }: FoundFile, text: string): Uint8Array {
  const plain = Buffer.from(text, encodingOf(bytes));
  return isZipped ? gzipSync(plain) : plain;
}

/** The text of a file. Any encoding of one byte for each letter is read as one, so that no byte is lost. */
export function textOf({ bytes }: FoundFile): string {
  return bytes.toString(encodingOf(bytes));
}

function encodingOf(bytes: Buffer): BufferEncoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf16le";
  return Buffer.from(bytes.toString("utf8")).equals(bytes) ? "utf8" : "latin1";
}

function kindOf(path: string, bytes: Buffer): FoundFile["kind"] {
  const begin = bytes.toString("latin1", 0, 16);
  if (begin.startsWith(PLAN_BEGINS)) return "plan";
  if (begin.startsWith(MEMORY_BEGINS)) return "memory";
  if (begin === "SQLite format 3\0") return "sqlite";
  if (begin.startsWith("PK")) return "unread";
  const name = path.replace(UNFINISHED, "").replace(/\.gz$/, "");
  if (begin.startsWith('{"') && bytes.includes(NEW_LINE)) return "records";
  return /\.(csv|tsv|txt)$/i.test(name) ? "table" : null;
}

/** The end of the name of a file that a writer has not finished, or that a killed one left. */
export const UNFINISHED =
  /(\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})?(\.part|\.state(\.new)?)$|\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const OURS = /^((?:[a-z][a-z0-9_]{0,19})??)(mirror_version|deliveries|bulk_lines)$/;
const BUSY_TIMEOUT_MS = 5_000;

/** Works with the tables that the library made in an SQLite file: a database for each prefix. */
export async function withSqlite<T>(
  path: string,
  work: (databases: readonly MirrorDatabase[], connection: DatabaseSync) => Promise<T>,
): Promise<T> {
  // Loaded only here, so that a Node without node:sqlite can erase from files.
  const { DatabaseSync } = await import("node:sqlite");
  const connection = new DatabaseSync(path);
  try {
    connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const tables = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const prefixes = new Set(tables.flatMap(({ name }) => OURS.exec(String(name))?.[1] ?? []));
    const databases = [...prefixes].map((prefix) => sqlite(connection, prefix === "" ? {} : { prefix }));
    return await work(databases, connection);
  } catch (error) {
    if (isEducationAdminError(error) || !isBusy(error)) throw error;
    throw new BulkError(
      "in_use",
      `erase: ${basename(path)} is in use by another program. Start again when it has ended.`,
    );
  } finally {
    connection.close();
  }
}

/** Removes what deleted rows left in the pages of an SQLite file and in its log. @returns false while others read it. */
export function compact(connection: DatabaseSync): boolean {
  try {
    connection.exec("VACUUM");
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
  const [row] = connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
  return row?.busy === 0;
}
