import { lstat, realpath } from "node:fs/promises";
import { basename } from "node:path";
import { BulkError } from "../bulk/errors.js";
import { resourceNameOf } from "../core/operation.js";
import type { MirrorDatabase } from "../mirror/database.js";
import { allOperations } from "../operations.js";
import { machineFiles, orNull, versionOf } from "../work/place/node-files.js";
import { FileLock } from "../work/place/node-lock.js";
import { writeWhole } from "../work/place/node-whole.js";
import { countTexts, cutText } from "./cut-text.js";
import { checkArguments, type EraseOptions, inputError, type PersonToErase } from "./node-arguments.js";
import {
  bytesOf,
  compact,
  type FoundFile,
  filesBelow,
  readFound,
  searched,
  textOf,
  UNFINISHED,
  withSqlite,
} from "./node-folder.js";
import { readState, type State, statePath } from "./node-state.js";
import { Person } from "./person.js";
import { eraseFrom } from "./tables.js";

/** Records of a person in one place. */
export interface ErasedPlace {
  /** The file, or `databases[0]`. */
  readonly place: string;
  /** `table` for CSV, `records` for NDJSON, `unfinished` for a file that an interrupted program left. */
  readonly kind: "plan" | "memory" | "records" | "table" | "mirror" | "inbox" | "journal" | "unfinished";
  /** Number of records, rows or deliveries about the person. */
  readonly records: number;
  /** Number of earlier versions of records, and of other records with a part about the person. */
  readonly parts: number;
  /** Number of `records` that stay because they are still in use; see `unfinished`. */
  readonly open: number;
}

/** The report of `erase`. It contains numbers and file names, but no value of the person's records. */
export interface ErasureReport {
  /** Such as `user 41`. */
  readonly person: string;
  readonly written: boolean;
  /** True if nothing about the person is left in these places, as far as this library can read them. */
  readonly complete: boolean;
  readonly places: readonly ErasedPlace[];
  /** Places to check by hand, with the reason. */
  readonly left: readonly { readonly place: string; readonly why: string }[];
  /**
   * Records of the person that the files and databases mention and the service may still have: their number, and the
   * operation that deletes one, or null. No request is sent.
   */
  readonly service: readonly { readonly resource: string; readonly records: number; readonly delete: string | null }[];
}

const MOST_TURNS = 5;

/**
 * Takes one person out of what this library keeps in files and databases: mirrors with their feeds, plans, CSV and
 * NDJSON files, inboxes and journals. Finds the person's records by their identifiers, by references to them, and, in
 * rows without an identifier, by the e-mail address. Sends nothing. If the process is killed, call `erase` again for
 * the same person: until it is done, a private file in the first folder stores what it has found.
 * @returns the report; without `write`, of what would be taken out.
 * @throws InputError if an argument is invalid, or an interrupted call for another person must be finished first;
 * BulkError `in_use` if another process uses a file or a journal: then nothing was written.
 * @example
 * const report = await erase({ user: 41 }, { in: "." });
 * for (const { place, records } of report.places) console.log(place, records);
 * // then with `write: true`
 */
export async function erase(person: PersonToErase, options: EraseOptions): Promise<ErasureReport> {
  const given = checkArguments(person, options);
  const { kind, id, places, emails, write } = given;
  for (const place of places) {
    if (!(await orNull(lstat(place)))) throw inputError("in", `names ${place}, which does not exist`);
  }
  const state = await statePath(places[0] as string);
  const lock = write ? await lockOf(state) : null;
  try {
    const found = await readState(state);
    if (write && found && !(found.kind === kind && found.id === id)) {
      throw inputError(
        "person",
        `cannot be erased now: first finish the erasure of ${found.kind} ${found.id}, which was interrupted`,
      );
    }
    const known = found?.kind === kind && found.id === id ? found : undefined;
    const eraser = new Eraser(new Person(kind, id, known, emails), state, given);
    return write ? await eraser.write({ erase: 1, kind, id }, known !== undefined) : await eraser.look();
  } finally {
    await lock?.release();
  }
}

class Eraser {
  readonly #person: Person;
  readonly #state: string;
  readonly #given: ReturnType<typeof checkArguments>;
  readonly #locks = new Map<string, FileLock>();
  /** Replaced files whose old content still exists under other names (hard links). */
  readonly #linked = new Set<string>();
  /** Files that could not be read, or databases that could not be changed. */
  readonly #unread = new Set<string>();
  /** For each database, the number of rows that may be the person's. */
  readonly #doubts = new Map<string, number>();
  /** SQLite files in which deleted rows could not be overwritten, because other programs were reading them. */
  readonly #inUse = new Set<string>();

  constructor(person: Person, state: string, given: ReturnType<typeof checkArguments>) {
    this.#person = person;
    this.#state = state;
    this.#given = given;
  }

  async look(): Promise<ErasureReport> {
    const places = await this.#lookAll();
    return this.#report(places, places, await this.#leftOvers(places, true));
  }

  /** @param wasBegun true if an earlier call was interrupted; it may have left deleted rows in database pages. */
  async write(state: Pick<State, "erase" | "kind" | "id">, wasBegun: boolean): Promise<ErasureReport> {
    const first = await this.#lookAll();
    let rest: readonly ErasedPlace[] = first;
    try {
      for (let turn = 0; turn < MOST_TURNS && (turn === 0 || rest.some(isTaken)); turn++) {
        await this.#lockAll(rest);
        // First saves what is known: some rows are recognized only through others, which may be removed before them.
        await writeWhole(this.#state, JSON.stringify({ ...state, ...this.#person.known } satisfies State));
        for (const path of await this.#files()) await this.#takeFrom(path, wasBegun);
        await this.#inDatabases(this.#given.databases, true);
        rest = await this.#lookAll();
      }
    } finally {
      for (const lock of this.#locks.values()) await lock.release();
    }
    const report = this.#report(first, rest, await this.#leftOvers(rest, false));
    if (!rest.some(isTaken) && this.#inUse.size === 0) {
      await machineFiles.remove(this.#state);
      // A killed call may have left temporary copies of the state file.
      const parts = await machineFiles.siblings(this.#state);
      for (const part of parts.filter((one) => !one.endsWith(".lock"))) await machineFiles.remove(part);
    }
    return report;
  }

  async #files(): Promise<readonly string[]> {
    const found = (await Promise.all(this.#given.places.map(filesBelow))).flat();
    return [...new Set(found)].filter((path) => !path.startsWith(this.#state));
  }

  // Repeats the search until it finds nothing new: a record found late may identify others.
  async #lookAll(): Promise<readonly ErasedPlace[]> {
    for (;;) {
      const { size } = this.#person;
      const places: ErasedPlace[] = [];
      this.#doubts.clear();
      for (const path of await this.#files()) places.push(...(await this.#lookInto(path)));
      places.push(...(await this.#inDatabases(this.#given.databases, false)));
      if (this.#person.size === size) return places;
    }
  }

  async #lookInto(path: string): Promise<readonly ErasedPlace[]> {
    const { file, cut } = await this.#read(path);
    if (file?.kind === "sqlite") {
      const look = () => withSqlite(path, (databases) => this.#inDatabases(databases, false, path));
      return (await this.#attempt(path, look)) ?? [];
    }
    if (!cut || cut.records + cut.parts === 0) return [];
    const { records, parts, isOpen, kind } = cut;
    return [{ place: path, kind, records, parts, open: isOpen ? records : 0 }];
  }

  /** @param file the file of these databases; absent for the option `databases`. */
  async #inDatabases(databases: readonly MirrorDatabase[], write: boolean, file?: string): Promise<ErasedPlace[]> {
    const places: ErasedPlace[] = [];
    for (const [at, database] of databases.entries()) {
      const place = file ?? `databases[${at}]`;
      for (const { doubts = 0, ...found } of await eraseFrom(database, this.#person, this.#given, write)) {
        if (doubts > 0) this.#doubts.set(place, (this.#doubts.get(place) ?? 0) + doubts);
        if (found.records + found.parts > 0) places.push({ place, ...found });
      }
    }
    return places;
  }

  // Reads a file; `cut` is its text without the person's rows, or null if it has no readable rows.
  async #read(path: string) {
    const file = await this.#attempt(path, () => readFound(path));
    const kind = file?.kind ?? null;
    if (!file || kind === null || kind === "sqlite" || kind === "unread" || kind === "link") return { file, cut: null };
    const cut = await this.#attempt(path, () => cutText(kind, textOf(file), basename(path), this.#person));
    const isPart = UNFINISHED.test(path);
    const isOpen = (isPart || cut?.isUnfinished === true) && !this.#given.unfinished;
    return { file, cut: cut && { ...cut, isPart, isOpen, kind: isPart ? ("unfinished" as const) : kind } };
  }

  // Drops the error, which may quote the file's content, and continues with other files.
  async #attempt<T>(path: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof BulkError && error.reason === "in_use") throw error;
      this.#unread.add(path);
      return null;
    }
  }

  async #takeFrom(path: string, wasBegun: boolean): Promise<void> {
    const { file, cut } = await this.#read(path);
    if (file?.kind === "sqlite") await this.#attempt(path, () => this.#takeFromSqlite(file, wasBegun));
    if (!file || !cut || cut.isOpen || cut.records + cut.parts === 0 || !this.#locks.has(fileOf(path))) return;
    if (file.links > 1) this.#linked.add(path);
    if (!cut.isPart) return replaceUnchanged(file, bytesOf(file, cut.text));
    await machineFiles.remove(path);
    await machineFiles.remove(path.replace(/\.part$/, ".state"));
  }

  async #takeFromSqlite({ path, bytes }: FoundFile, wasBegun: boolean): Promise<void> {
    const log = await readFound(`${path}-wal`);
    await withSqlite(path, async (databases, connection) => {
      if (databases.length === 0) return;
      const found = await this.#inDatabases(databases, false, path);
      if (found.some(isTaken)) await this.#inDatabases(databases, true, path);
      else if (!wasBegun && this.#textsIn(bytes) + (log ? this.#textsIn(log.bytes) : 0) === 0) return;
      if (compact(connection)) this.#inUse.delete(path);
      else this.#inUse.add(path);
    });
  }

  #textsIn(bytes: Buffer): number {
    return countTexts(bytes, this.#person);
  }

  async #lockAll(places: readonly ErasedPlace[]): Promise<void> {
    const files = places.filter((one) => isTaken(one) && !IN_DATABASE.includes(one.kind));
    for (const path of files.map(({ place }) => fileOf(place)))
      if (!this.#locks.has(path)) this.#locks.set(path, await lockOf(path));
  }

  /** @param isDry true in a dry run: the person's rows are still there. */
  async #leftOvers(places: readonly ErasedPlace[], isDry: boolean): Promise<ErasureReport["left"]> {
    const left: { place: string; why: string }[] = [];
    for (const [place, count] of this.#doubts)
      if (place.startsWith("databases[")) left.push({ place, why: doubtful(count) });
    for (const path of await this.#files()) {
      const { file, cut } = await this.#read(path);
      const add = (why: string) => left.push({ place: this.#maskedPath(path), why });
      if (this.#textsIn(Buffer.from(basename(path))) > 0) add("its name contains a text about the person: rename it");
      if (this.#unread.has(path)) add("could not be read or changed: check it for the person's data");
      if (!file) continue;
      if (file.kind === "link" && !(await this.#isInside(path)))
        add("is a link, which was not followed: look where it points");
      if (file.kind === "unread")
        add("is a workbook, a document, a packed file or too large, and was not read: check it for the person's data");
      const isDamaged = cut === null && !this.#unread.has(path);
      if ((file.kind === "plan" || file.kind === "memory") && isDamaged)
        add("is damaged: check it for the person's data");
      const doubts = cut?.doubts ?? this.#doubts.get(path) ?? 0;
      if (doubts > 0) add(doubtful(doubts));
      const isNamed = places.some(({ place }) => place === path);
      if (this.#inUse.has(path)) add("is being read by another program: start again when that has ended");
      if (this.#linked.has(path)) add("had another name (hard link), which keeps the old content");
      // In a dry run, files with the person's rows still contain the texts of those rows, so these are not reported.
      const isKnown = isDry && (isNamed || places.some(({ place }) => path === `${place}-wal`));
      const texts = isKnown ? 0 : this.#textsIn(searched(file));
      if (texts > 0)
        add(
          `contains ${texts} ${texts === 1 ? "text" : "texts"} of the person, in records that do not name the person or are in use: search the file for them`,
        );
    }
    const { kind, id, hasEmails } = this.#person;
    if (!hasEmails)
      left.push({
        place: `${kind} ${id}`,
        why: `has no e-mail address that is known here, so rows without an identifier were not recognized: pass \`emails\` (\`--email\`)`,
      });
    return left;
  }

  // True if the link points to a file that is searched under its own name.
  async #isInside(link: string): Promise<boolean> {
    const end = await realpath(link).catch(() => null);
    const files = (await this.#files()).filter((path) => path !== link);
    const ends = await Promise.all(files.map(async (path) => ((await lstat(path)).isFile() ? realpath(path) : null)));
    return end !== null && ends.includes(end);
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
      written: this.#given.write,
      complete: this.#given.write && rest.length === 0 && left.length === 0,
      places: places.map((one) => ({ ...one, place: this.#maskedPath(one.place) })),
      left,
      service,
    };
  }

  #maskedPath(path: string): string {
    const literal = (value: string) => value.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    return [...this.#person.values].reduce(
      (shown, value) => shown.replace(new RegExp(literal(value), "gi"), "…"),
      path,
    );
  }
}

const doubtful = (rows: number) =>
  `has ${rows} ${rows === 1 ? "row" : "rows"} that may be the person's: the columns do not show which list the identifier is from, or there is another address beside the person's. Look for the person`;

// A run locks its plan; that lock also covers the .memory file next to it.
const fileOf = (path: string) => path.replace(UNFINISHED, "").replace(/\.memory$/, "");
const IN_DATABASE: readonly string[] = ["mirror", "inbox", "journal"];

function isTaken({ records, parts, open }: ErasedPlace): boolean {
  return records + parts > open;
}

// Leaves a file alone if another program has saved it since it was read: the next round reads it again.
async function replaceUnchanged({ path, version }: FoundFile, bytes: Uint8Array): Promise<void> {
  let isChanged = false;
  async function* content(): AsyncGenerator<Uint8Array> {
    yield bytes;
    isChanged = (await versionOf(path)) !== version;
    if (isChanged) throw new Error("was changed");
  }
  await writeWhole(path, content()).catch((error: unknown) => {
    if (!isChanged) throw error;
  });
}

async function lockOf(path: string): Promise<FileLock> {
  const lock = await FileLock.of(path, machineFiles);
  if (typeof lock !== "string") return lock;
  throw new BulkError(
    "in_use",
    `erase: ${basename(path)} is in use by ${lock}. Nothing was written; try again when it has ended.`,
  );
}
