import { type Clock, systemClock } from "../core/clock.js";
import type { Names } from "../core/option-checks.js";
import {
  argumentError,
  type Change,
  type ChangesOptions,
  changesOf,
  checkReading,
  listsOf,
  newestOf,
  readerOf,
} from "./changes.js";
import { checkDatabase, type MirrorDatabase } from "./database.js";
import { isReshaped } from "./decide.js";
import { bookmarkOf, FeedGapError } from "./position.js";

/** Options for `consume`. */
export interface ConsumeOptions<Tx> extends Omit<ChangesOptions, "after"> {
  /**
   * Rebuilds the consumer's data from the tables of the copy, in a transaction of its own, when changes are missing:
   * `prune` removed changes that the consumer has not handled, the consumer follows more lists than before, or the copy
   * was restored or recreated. Without this function, `consume` throws a FeedGapError in these cases.
   */
  readonly begin?: ((tx: Tx) => unknown) | undefined;
  /**
   * `reshaped` skips changes that only add or remove fields, as when the service adds a field; an edit also changes
   * `updated_at`, so it is not skipped. Default: every change is handled.
   */
  readonly ignore?: "reshaped" | undefined;
}

/**
 * Handles each change of a copy once, in order. What `handle` writes through `tx` is committed together with the
 * bookmark of the change, in one transaction of the copy's database. If the process is killed, the next call continues
 * after the last committed transaction. If several processes use the same name, each change goes to one of them. Keep
 * `handle` short: in SQLite, other writers of the file wait for it, and methods of the copy reject if `handle` calls
 * them.
 * @param name identifies the consumer among those of this copy.
 * @param handle gets a change and `tx`: the connection itself in SQLite, an object with `query` in Postgres. If it
 * throws, `consume` ends with that error and the change is not marked as handled.
 * @returns the number of changes handled; with `follow` it never returns.
 * @throws FeedGapError if changes are missing and there is no `begin`; ConfigurationError if the database holds no copy
 * yet; errors of `handle`; the signal's reason; the errors of `changes`.
 * @example
 * import { DatabaseSync } from "node:sqlite";
 * import { consume, mirror, sqlite } from "education-admin-sdk/mirror";
 *
 * const database = sqlite(new DatabaseSync(":memory:"));
 * await mirror(client, database, { resources: ["accounts"] }).sync();
 * await consume(database, "letters", async ({ kind, id }, tx) => {
 *   tx.exec("CREATE TABLE IF NOT EXISTS letters (account TEXT)");
 *   if (kind === "added") tx.prepare("INSERT INTO letters VALUES (?)").run(id);
 * });
 */
export function consume<Tx>(
  database: MirrorDatabase<Tx>,
  name: string,
  handle: (change: Change, tx: Tx) => unknown,
  options: ConsumeOptions<Tx> = {},
): Promise<number> {
  return consumeOn(systemClock, database, name, handle, options);
}

const OPTIONS = { resources: 1, follow: 1, onWait: 1, signal: 1, begin: 1, ignore: 1 } satisfies Names<
  ConsumeOptions<unknown>
>;

export async function consumeOn<Tx>(
  clock: Clock,
  database: MirrorDatabase<Tx>,
  name: string,
  handle: (change: Change, tx: Tx) => unknown,
  options: ConsumeOptions<Tx>,
): Promise<number> {
  checkDatabase(database);
  if (typeof name !== "string" || name === "") throw argumentError("consume", "name", "must be text");
  if (typeof handle !== "function") throw argumentError("consume", "handle", "must be a function");
  checkReading("consume", options, OPTIONS);
  const { begin, ignore, ...reading } = options;
  if (begin !== undefined && typeof begin !== "function") throw argumentError("consume", "begin", "must be a function");
  if (ignore !== undefined && ignore !== "reshaped") throw argumentError("consume", "ignore", 'must be "reshaped"');
  const isIgnored = ({ kind, before, after, fields }: Change) =>
    ignore !== undefined && kind === "changed" && isReshaped(before ?? {}, after ?? {}, fields);
  const lists = reading.resources ? [...reading.resources].sort() : null;
  // For a database without a copy, throws a clear error instead of the database's own.
  await listsOf(database, readerOf(database, reading.signal));
  let count = 0;
  for (;;) {
    try {
      let at = await bookmarkNow(database, name, lists, reading.signal);
      let isOvertaken = false;
      for await (const change of changesOf(database, clock, { ...reading, after: at === "" ? 0 : at })) {
        const { bookmark } = change;
        const ignored = isIgnored(change);
        isOvertaken = !(await database.transaction(async (sql, tx) => {
          // Locks the consumer's row; changes nothing if another process has handled the change.
          const moved = await sql.run("UPDATE {mirror_consumers} SET bookmark = ? WHERE name = ? AND bookmark = ?", [
            bookmark,
            name,
            at,
          ]);
          if (moved > 0 && !ignored) await handle(change, tx);
          return moved > 0;
        }, reading.signal));
        if (isOvertaken) break;
        at = bookmark;
        if (!ignored) count++;
      }
      if (!isOvertaken) return count;
    } catch (error) {
      if (!(error instanceof FeedGapError) || !begin) throw error;
      await database.transaction(async (sql, tx) => {
        const [note] = await sql.all<{ value: string }>("SELECT value FROM {mirror_notes} WHERE name = 'epoch'");
        // Takes the bookmark before `begin` reads the tables, so that changes in between are handled again, not lost.
        const end = bookmarkOf(note?.value ?? "", await newestOf(sql));
        await sql.run("UPDATE {mirror_consumers} SET bookmark = ?, lists = ? WHERE name = ?", [
          end,
          JSON.stringify(lists),
          name,
        ]);
        await begin(tx);
      }, reading.signal);
    }
  }
}

// Reads the bookmark of a consumer; "" before its first change. Throws if the consumer now follows a list that it did
// not follow before, because it would miss the list's earlier changes.
async function bookmarkNow<Tx>(
  database: MirrorDatabase<Tx>,
  name: string,
  lists: readonly string[] | null,
  signal: AbortSignal | undefined,
): Promise<string> {
  const found = await database.transaction(async (sql) => {
    const values = [name, JSON.stringify(lists)];
    await sql.run("INSERT INTO {mirror_consumers} VALUES (?, '', ?) ON CONFLICT (name) DO NOTHING", values);
    const query = "SELECT bookmark, lists FROM {mirror_consumers} WHERE name = ?";
    const [row] = await sql.all<{ bookmark: string; lists: string }>(query, [name]);
    return { bookmark: row?.bookmark ?? "", followed: JSON.parse(row?.lists ?? "null") as string[] | null };
  }, signal);
  const { bookmark, followed } = found;
  const isNew = followed !== null && (lists === null || lists.some((list) => !followed.includes(list)));
  if (isNew && bookmark !== "") {
    throw new FeedGapError(
      `the consumer ${JSON.stringify(name)} has so far followed only ${followed.join(", ")}`,
      bookmark,
    );
  }
  await database.transaction((sql) =>
    sql.run("UPDATE {mirror_consumers} SET lists = ? WHERE name = ? AND bookmark = ?", [
      JSON.stringify(lists),
      name,
      bookmark,
    ]),
  );
  return bookmark;
}
