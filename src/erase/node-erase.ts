import { lstat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { BulkError } from "../bulk/errors.js";
import { InputError } from "../core/errors.js";
import { resourceNameOf } from "../core/operation.js";
import { didYouMean } from "../core/option-checks.js";
import { checkDatabase, type MirrorDatabase } from "../mirror/database.js";
import { allOperations } from "../operations.js";
import { machineFiles, orNull } from "../work/place/node-files.js";
import { FileLock } from "../work/place/node-lock.js";
import { writeWhole } from "../work/place/node-whole.js";
import { countTexts, cutText } from "./cut-text.js";
import {
  bytesOf,
  compact,
  type FoundFile,
  filesBelow,
  readFound,
  textOf,
  UNFINISHED,
  withSqlite,
} from "./node-folder.js";
import { type Known, PERSONS, Person, type PersonKind } from "./person.js";
import { eraseFrom, type Wish } from "./tables.js";

/** The person to erase: the identifier of a user, an account, a lead or a contact. */
export type PersonToErase =
  | { readonly user: number }
  | { readonly account: number }
  | { readonly lead: number }
  | { readonly contact: number };

/** Options of `erase`. */
export interface EraseOptions {
  /** The folders or files to look in. Folders below them are included, links are not followed. */
  readonly in: string | readonly string[];
  /** Databases of copies, inboxes and journals that are not files: `postgres(pool)` of `./mirror`. Default none. */
  readonly databases?: readonly MirrorDatabase[] | undefined;
  /** True to take out what was found. Default false: nothing is changed. */
  readonly write?: boolean | undefined;
  /**
   * True to take out also what is still in use: rows of plans that are not finished, deliveries that wait, and files
   * that an interrupted program left. Default false: they are reported and stay.
   */
  readonly unfinished?: boolean | undefined;
}

/** Records of a person in one place. */
export interface ErasedPlace {
  /** The file, or `databases[0]`. */
  readonly place: string;
  /** `table` for CSV, `records` for NDJSON, `unfinished` for a file that an interrupted program left. */
  readonly kind: "plan" | "memory" | "records" | "table" | "mirror" | "inbox" | "journal" | "unfinished";
  /** Number of records, rows or deliveries about the person. */
  readonly records: number;
  /** Number of earlier versions, and of records of others that have a part about the person. */
  readonly parts: number;
  /** Number of those that stay because they are still in use; see `unfinished`. */
  readonly open: number;
}

/** The report of `erase`. It contains numbers and names of files, no value of the person. */
export interface ErasureReport {
  /** `user 41` */
  readonly person: string;
  readonly written: boolean;
  /** True if nothing of the person is left in these places, as far as this library can read them. */
  readonly complete: boolean;
  readonly places: readonly ErasedPlace[];
  /** Places to look at by hand, with the reason. */
  readonly left: readonly { readonly place: string; readonly why: string }[];
  /**
   * The person's records that the files and databases named, which the service may still have: their number, and the
   * operation that deletes one, null if there is none. No request is sent.
   */
  readonly service: readonly { readonly resource: string; readonly records: number; readonly delete: string | null }[];
}

const STATE = ".education-admin-sdk-erase";
const MOST_TURNS = 5;

interface State extends Known {
  readonly erase: 1;
  readonly kind: PersonKind;
  readonly id: number;
}

/**
 * Takes one person out of what this library keeps in files and databases: mirrors with their feeds, plans, CSV
 * and NDJSON files, inboxes and journals. The person's records are found by their identifiers, by the
 * references of records to them, and, in rows without an identifier, by the e-mail address. Sends nothing. If it is
 * killed, call it again for the same person: until it has ended, a private file in the first folder keeps what it knows.
 * @returns the report; without `write`, of what would be taken out.
 * @throws InputError if an argument is invalid, or an interrupted call for another person must be finished first;
 * BulkError `in_use` if another process uses a file or a journal: then nothing was written.
 * @example
 * const report = await erase({ user: 41 }, { in: "." });
 * for (const { place, records } of report.places) console.log(place, records);
 * // then with `write: true`
 */
export async function erase(person: PersonToErase, options: EraseOptions): Promise<ErasureReport> {
  const { kind, id, places, databases, write, unfinished } = checkArguments(person, options);
  for (const place of places) {
    if (!(await orNull(lstat(place)))) throw inputError("in", `names ${place}, which does not exist`);
  }
  const state = join(await folderOf(places[0] as string), STATE);
  const lock = write ? await lockOf(state) : null;
  try {
    const found = parseState(await machineFiles.read(state));
    if (write && found && !(found.kind === kind && found.id === id)) {
      throw inputError(
        "person",
        `cannot be erased now: first finish the erasure of ${found.kind} ${found.id}, which was interrupted`,
      );
    }
    const known = found?.kind === kind && found.id === id ? found : undefined;
    const eraser = new Eraser(new Person(kind, id, known), state, places, databases, { write, unfinished });
    return write ? await eraser.write({ erase: 1, kind, id }, known !== undefined) : await eraser.look();
  } finally {
    await lock?.release();
  }
}

class Eraser {
  readonly #person: Person;
  readonly #state: string;
  readonly #in: readonly string[];
  readonly #databases: readonly MirrorDatabase[];
  readonly #wish: Wish;
  readonly #locks = new Map<string, FileLock>();
  /** Files whose old content other names (hard links) keep. */
  readonly #linked = new Set<string>();
  /** SQLite files whose pages could not be emptied while others read them. */
  readonly #inUse = new Set<string>();

  constructor(
    person: Person,
    state: string,
    places: readonly string[],
    databases: readonly MirrorDatabase[],
    wish: Wish,
  ) {
    this.#person = person;
    this.#state = state;
    this.#in = places;
    this.#databases = databases;
    this.#wish = wish;
  }

  async look(): Promise<ErasureReport> {
    const places = await this.#lookAll();
    return this.#report(places, places, await this.#leftOvers(places, true));
  }

  /** @param wasBegun true if an earlier call was interrupted; it may have left the pages of deleted rows. */
  async write(state: Pick<State, "erase" | "kind" | "id">, wasBegun: boolean): Promise<ErasureReport> {
    const first = await this.#lookAll();
    let rest: readonly ErasedPlace[] = first;
    try {
      for (let turn = 0; turn < MOST_TURNS && (turn === 0 || rest.some(isTaken)); turn++) {
        await this.#lockAll(rest);
        // Rows that are recognised only by others must be recognised after those are gone.
        await writeWhole(this.#state, JSON.stringify({ ...state, ...this.#person.known } satisfies State));
        for (const path of await this.#files()) await this.#takeFrom(path, wasBegun);
        for (const database of this.#databases) {
          await database.write((sql) => eraseFrom(database.dialect, sql, this.#person, this.#wish));
        }
        rest = await this.#lookAll();
      }
    } finally {
      for (const lock of this.#locks.values()) await lock.release();
    }
    const report = this.#report(first, rest, await this.#leftOvers(rest, false));
    if (!rest.some(isTaken) && this.#inUse.size === 0) {
      await machineFiles.remove(this.#state);
      // A killed call may have left parts of that file.
      const parts = await machineFiles.siblings(this.#state);
      for (const part of parts.filter((one) => !one.endsWith(".lock"))) await machineFiles.remove(part);
    }
    return report;
  }

  async #files(): Promise<readonly string[]> {
    const found = (await Promise.all(this.#in.map(filesBelow))).flat();
    return [...new Set(found)].filter((path) => !path.startsWith(this.#state));
  }

  // Looks again until no record shows another one.
  async #lookAll(): Promise<readonly ErasedPlace[]> {
    for (;;) {
      const { size } = this.#person;
      const places: ErasedPlace[] = [];
      for (const path of await this.#files()) places.push(...(await this.#lookInto(path)));
      for (const [at, { dialect, read }] of this.#databases.entries()) {
        const found = await eraseFrom(dialect, { all: read }, this.#person, this.#wish);
        places.push(...found.map((one) => ({ place: `databases[${at}]`, ...one })));
      }
      if (this.#person.size === size) return places;
    }
  }

  async #lookInto(path: string): Promise<readonly ErasedPlace[]> {
    const file = await readFound(path);
    if (file?.kind === "sqlite") return withSqlite(path, (databases) => this.#inDatabases(path, databases, false));
    const cut = file && (await this.#cutFile(file));
    if (!cut) return [];
    const { records, parts, isOpen, kind } = cut;
    return records + parts === 0 ? [] : [{ place: path, kind, records, parts, open: isOpen ? records : 0 }];
  }

  async #inDatabases(path: string, databases: readonly MirrorDatabase[], write: boolean): Promise<ErasedPlace[]> {
    const places: ErasedPlace[] = [];
    for (const { dialect, read, write: transaction } of databases) {
      const take = (sql: Parameters<typeof eraseFrom>[1]) => eraseFrom(dialect, sql, this.#person, this.#wish);
      const found = write ? await transaction(take) : await take({ all: read });
      places.push(...found.map((one) => ({ place: path, ...one })));
    }
    return places;
  }

  async #cutFile(file: FoundFile) {
    const { kind } = file;
    if (kind === null || kind === "sqlite" || kind === "unread") return null;
    const cut = await cutText(kind, textOf(file), basename(file.path), this.#person);
    if (cut === null) return null;
    const isPart = UNFINISHED.test(file.path);
    const isOpen = isPart || cut.isUnfinished;
    return { ...cut, isPart, isOpen: isOpen && !this.#wish.unfinished, kind: isPart ? ("unfinished" as const) : kind };
  }

  async #takeFrom(path: string, wasBegun: boolean): Promise<void> {
    const file = await readFound(path);
    if (file?.kind === "sqlite") return this.#takeFromSqlite(file, wasBegun);
    const cut = file && (await this.#cutFile(file));
    if (!cut || cut.isOpen || cut.records + cut.parts === 0 || !this.#locks.has(fileOf(path))) return;
    if (file.links > 1) this.#linked.add(path);
    if (!cut.isPart) return writeWhole(path, bytesOf(file, cut.text));
    await machineFiles.remove(path);
    await machineFiles.remove(path.replace(/\.part$/, ".state"));
  }

  async #takeFromSqlite({ path, bytes }: FoundFile, wasBegun: boolean): Promise<void> {
    const log = await readFound(`${path}-wal`);
    await withSqlite(path, async (databases, connection) => {
      if (databases.length === 0) return;
      const found = await this.#inDatabases(path, databases, false);
      if (found.some(isTaken)) await this.#inDatabases(path, databases, true);
      else if (!wasBegun && this.#textsIn(bytes) + (log ? this.#textsIn(log.bytes) : 0) === 0) return;
      if (compact(connection)) this.#inUse.delete(path);
      else this.#inUse.add(path);
    });
  }

  #textsIn(bytes: Buffer): number {
    return countTexts(bytes, this.#person);
  }

  /** Locks the files that will be replaced. */
  async #lockAll(places: readonly ErasedPlace[]): Promise<void> {
    const files = places.filter((one) => isTaken(one) && !IN_DATABASE.includes(one.kind));
    for (const path of files.map(({ place }) => fileOf(place)))
      if (!this.#locks.has(path)) this.#locks.set(path, await lockOf(path));
  }

  /** @param isDry true if rows that will be taken out are still there. */
  async #leftOvers(places: readonly ErasedPlace[], isDry: boolean): Promise<ErasureReport["left"]> {
    const left: { place: string; why: string }[] = [];
    for (const path of await this.#files()) {
      const file = await readFound(path);
      if (!file) continue;
      const add = (why: string) => left.push({ place: this.#maskedPath(path), why });
      if (this.#textsIn(Buffer.from(basename(path))) > 0) add("its name contains a text of the person: rename it");
      if (file.kind === "unread")
        add("is a workbook, another ZIP file or too large, and was not read: look for the person");
      const cut = await this.#cutFile(file);
      if ((file.kind === "plan" || file.kind === "memory") && cut === null) add("is damaged: look for the person");
      if (cut && cut.doubts > 0)
        add(
          `has ${cut.doubts} rows with this identifier, in a list that its columns do not identify: look for the person`,
        );
      const isNamed = places.some(({ place }) => place === path);
      if (this.#inUse.has(path)) add("is being read by another program: start again when that has ended");
      if (this.#linked.has(path)) add("had another name (hard link), which keeps the old content");
      // Before anything was taken out, its texts are where they were found.
      const isKnown = isDry && (isNamed || places.some(({ place }) => path === `${place}-wal`));
      const texts = isKnown ? 0 : this.#textsIn(file.bytes);
      if (texts > 0)
        add(
          `contains ${texts} ${texts === 1 ? "text" : "texts"} of the person in records that do not name the person, or in use: look for them`,
        );
    }
    return left;
  }

  #report(places: readonly ErasedPlace[], rest: readonly ErasedPlace[], left: ErasureReport["left"]): ErasureReport {
    const { kind, id, known } = this.#person;
    const counts = Map.groupBy(known.records, (record) => record.slice(0, record.lastIndexOf(" ")));
    const service = [...counts].map(([resource, { length: records }]) => ({
      resource,
      records,
      delete:
        allOperations.find(
          (row) => row.method === "DELETE" && resourceNameOf(row.id) === resource && row.path.endsWith("}"),
        )?.id ?? null,
    }));
    return {
      person: `${kind} ${id}`,
      written: this.#wish.write,
      complete: this.#wish.write && rest.length === 0 && left.length === 0,
      places: places.map((one) => ({ ...one, place: this.#maskedPath(one.place) })),
      left,
      service,
    };
  }

  #maskedPath(path: string): string {
    return [...this.#person.values].reduce((shown, value) => shown.replaceAll(value, "…"), path);
  }
}

// A run locks its plan, also while it writes the memory beside it.
const fileOf = (path: string) => path.replace(UNFINISHED, "").replace(/\.memory$/, "");
const IN_DATABASE: readonly string[] = ["mirror", "inbox", "journal"];

function isTaken({ records, parts, open }: ErasedPlace): boolean {
  return records + parts > open;
}

async function lockOf(path: string): Promise<FileLock> {
  const lock = await FileLock.of(path, machineFiles);
  if (typeof lock !== "string") return lock;
  throw new BulkError(
    "in_use",
    `erase: ${basename(path)} is in use by ${lock}. Nothing was written; try again when it has ended.`,
  );
}

async function folderOf(path: string): Promise<string> {
  return (await orNull(filesBelow(path)))?.includes(path) ? dirname(path) : path;
}

function parseState(text: string | null): State | null {
  return text === null ? null : (JSON.parse(text) as State);
}

function checkArguments(person: PersonToErase, options: EraseOptions) {
  const { in: given, databases = [], write = false, unfinished = false, ...others } = options;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw inputError(unknown, `is not an option${didYouMean(unknown, ["in", "databases", "write", "unfinished"])}`);
  const entries = Object.entries(person ?? {});
  const [kind, id] = entries[0] ?? [];
  if (
    entries.length !== 1 ||
    kind === undefined ||
    !Object.hasOwn(PERSONS, kind) ||
    !(Number.isSafeInteger(id) && Number(id) > 0)
  )
    throw inputError(
      "person",
      `must be one of ${Object.keys(PERSONS).join(", ")} with an identifier, such as { user: 41 }`,
    );
  const places = [given].flat().map((path) => (typeof path === "string" && path !== "" ? resolve(path) : null));
  if (places.length === 0 || places.includes(null))
    throw inputError("in", "must name a folder or a file, or a list of them");
  for (const database of databases) checkDatabase(database);
  return { kind: kind as PersonKind, id: Number(id), places: places as string[], databases, write, unfinished };
}

function inputError(path: string, message: string): InputError {
  return new InputError(`erase: ${path} ${message}.`, [{ path, message }]);
}
