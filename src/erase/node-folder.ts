import { isUtf8 } from "node:buffer";
import { lstat, readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import { BulkError } from "../bulk/errors.js";
import { encodingOf as beginEncoding } from "../bulk/file/text.js";
import { PLAN_BEGINS } from "../bulk/node-kept.js";
import { MEMORY_BEGINS } from "../bulk/node-memory-lines.js";
import { isEducationAdminError } from "../core/errors.js";
import type { MirrorDatabase } from "../mirror/database.js";
import { sqlite } from "../mirror/databases/sqlite.js";
import { isBusy } from "../sql/sqlite.js";
import { beginOf, orNull, versionOf } from "../work/place/node-files.js";
import type { FileKind } from "./cut-text.js";

export interface FoundFile {
  readonly path: string;
  /** Null for files without rows. */
  readonly kind: FileKind | "sqlite" | "unread" | "link" | null;
  /** The uncompressed content; only the first bytes of a file that is too large to read. */
  readonly bytes: Buffer;
  readonly isZipped: boolean;
  /** Changes when a program saves the file. */
  readonly version: string;
  /** Number of names (hard links) of the file. */
  readonly links: number;
}

const SKIPPED: readonly string[] = ["node_modules", ".git"];
const NEW_LINE = 10;
// JavaScript strings cannot be much longer.
const MOST_BYTES = 400_000_000;
const HEAD_BYTES = 64;

/**
 * The paths of all files and links below a folder, and of folders that cannot be read; for a file, only its own path.
 * Links are not followed.
 */
export async function filesBelow(path: string): Promise<readonly string[]> {
  const stats = await orNull(lstat(path));
  if (stats?.isFile() || stats?.isSymbolicLink()) return [path];
  if (!stats?.isDirectory()) return [];
  const all = await readdir(path).catch(() => null);
  if (all === null) return [path];
  const names = all.filter((name) => !SKIPPED.includes(name)).sort();
  return (await Promise.all(names.map((name) => filesBelow(join(path, name))))).flat();
}

/** Reads a file; null if it is gone. */
export async function readFound(path: string): Promise<FoundFile | null> {
  const stats = await orNull(lstat(path));
  if (stats?.isSymbolicLink())
    return { path, kind: "link", bytes: Buffer.alloc(0), isZipped: false, version: "", links: stats.nlink };
  const version = stats?.isFile() ? await versionOf(path) : "";
  const isLarge = (stats?.size ?? 0) > MOST_BYTES;
  const given = await orNull(isLarge ? beginOf(path, HEAD_BYTES) : readFile(path));
  if (!stats || !given) return null;
  const isZipped = given[0] === 0x1f && given[1] === 0x8b;
  const bytes = isZipped ? gunzipSync(given, { maxOutputLength: MOST_BYTES }) : given;
  const kind = kindOf(path, bytes, isZipped);
  return { path, kind: isLarge && kind !== "sqlite" ? "unread" : kind, bytes, isZipped, version, links: stats.nlink };
}

/** Encodes a changed text as the file was encoded and compressed. */
export function bytesOf({ isZipped, bytes }: FoundFile, text: string): Uint8Array {
  const encoding = encodingOf(bytes);
  const plain = Buffer.from(text, encoding === "utf-16be" ? "utf16le" : encoding);
  if (encoding === "utf-16be") plain.swap16();
  return isZipped ? gzipSync(plain) : plain;
}

/** Decodes a file. Every single-byte encoding is read as Latin-1, so that no byte is lost. */
export function textOf({ bytes }: Pick<FoundFile, "bytes">): string {
  const encoding = encodingOf(bytes);
  return encoding === "utf-16be" ? Buffer.from(bytes).swap16().toString("utf16le") : bytes.toString(encoding);
}

/** The bytes to search for texts: UTF-16 is converted to UTF-8. */
export function searched({ bytes, kind }: FoundFile): Buffer {
  const isWide = kind !== "sqlite" && /^utf-?16/.test(encodingOf(bytes));
  return isWide ? Buffer.from(textOf({ bytes })) : bytes;
}

function encodingOf(bytes: Buffer): BufferEncoding | "utf-16be" {
  const encoding = beginEncoding(bytes.subarray(0, 4096));
  if (encoding.startsWith("utf-16") && bytes.length % 2 === 0) return encoding === "utf-16be" ? encoding : "utf16le";
  return isUtf8(bytes) ? "utf8" : "latin1";
}

// The first bytes of formats that are not read: ZIP, .xls and .doc, PDF, gzip within gzip, .xz, .bz2,
// .zst, 7-Zip, RAR.
const UNREAD = /^(PK[^ -~]|\xd0\xcf[^ -~]\xe0|%PDF|[^ -~]\x8b|\xfd7zXZ|BZh\d1AY|\(\xb5\/\xfd|7z\xbc\xaf|Rar!)/;

function kindOf(path: string, bytes: Buffer, isZipped: boolean): FoundFile["kind"] {
  const begin = bytes.toString("latin1", 0, 16);
  if (begin.startsWith(PLAN_BEGINS)) return "plan";
  if (begin.startsWith(MEMORY_BEGINS)) return "memory";
  if (begin === "SQLite format 3\0") return isZipped ? "unread" : "sqlite";
  if (UNREAD.test(begin)) return "unread";
  const name = path.replace(UNFINISHED, "").replace(/\.gz$/, "");
  if (begin.startsWith('{"') && bytes.includes(NEW_LINE)) return "records";
  return /\.(csv|tsv|txt)$/i.test(name) ? "table" : null;
}

/** Matches the end of the name of an unfinished file, which a killed program may have left behind. */
export const UNFINISHED =
  /(\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})?(\.part|\.state(\.new)?)$|\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const OURS = /^((?:[a-z][a-z0-9_]{0,19})??)(mirror_version|deliveries|bulk_lines)$/;
const BUSY_TIMEOUT_MS = 5_000;

/** Calls `work` with an SQLite file's `MirrorDatabase` for each prefix of the library's tables. */
export async function withSqlite<T>(
  path: string,
  work: (databases: readonly MirrorDatabase[], connection: DatabaseSync) => Promise<T>,
): Promise<T> {
  // Imports node:sqlite only here, so that a Node without it can still erase from files.
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

/** Removes what deleted rows left in the pages of an SQLite file and in its log. @returns false if it is in use. */
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
