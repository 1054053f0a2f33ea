import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isEducationAdminError } from "../core/errors.js";
import { valueAt } from "../work/fields/path.js";
import type { Files } from "../work/place/node-files.js";
import { namesOf, type Values } from "./fields.js";
import { type History, toBulkRow } from "./history.js";
import { alikeForm, keyOf } from "./keys.js";
import { parentOf } from "./known.js";
import { newestKept } from "./node-kept.js";
import { historyOf, plannedRows, readState } from "./node-state.js";
import { type ProblemText, problemText, rowValue } from "./problem-text.js";
import type { Target } from "./target.js";
import type { BulkRow } from "./types.js";

/** A row of an earlier plan, and the record that it created or found. */
export interface EarlierRecord {
  readonly key: string;
  readonly id: number;
  /** The row and plan it comes from, for messages. */
  readonly where: string;
}

/**
 * Keys, lists and stored values from the plans that earlier runs have kept. They are read only when a row is about to
 * be written.
 */
export class EarlierPlans {
  readonly #target: Target;
  readonly #keys: readonly string[];
  readonly #plans: () => Promise<readonly string[]>;
  #read: Promise<void> | null = null;
  /** Reasons not to create rows, by key: an earlier plan may have created them. */
  readonly #doubts = new Map<string, ProblemText>();
  /** Records by list and common form of the key. */
  readonly #records = new Map<string, EarlierRecord>();
  /** By record identifier, the values that the service stored in another form than they were sent, by path. */
  readonly #stored = new Map<number, BulkRow["differs"]>();
  /** The lists in which records were created, with the latest plan that did so. */
  readonly #created: { readonly parent: Values; readonly plan: string }[] = [];

  /** @param to the file of the plan; null if there are no earlier plans, as in a database. */
  constructor(to: string | null, files: Files, target: Target, keys: readonly string[]) {
    this.#target = target;
    this.#keys = keys;
    this.#plans = async () => (to === null ? [] : newestKept(to, files));
  }

  async doubt(key: string): Promise<ProblemText | null> {
    await this.#once();
    return this.#doubts.get(key) ?? null;
  }

  /** The record in a list that had a key, or nearly the same key. */
  async recordOf(key: string, parent: Values): Promise<EarlierRecord | null> {
    await this.#once();
    return this.#records.get(nameOf(parent, key)) ?? null;
  }

  /** The values of a record that the service stored in another form than they were sent. */
  async storedIn(id: number): Promise<BulkRow["differs"]> {
    // A plan that cannot be read does not prevent an update; a create fails because of it.
    await this.#once().catch(() => undefined);
    return this.#stored.get(id) ?? {};
  }

  /** The last plan that created records in a list. */
  async createdIn(parent: Values): Promise<string | null> {
    await this.#once();
    const found = this.#created.find((one) => isDeepStrictEqual(one.parent, parent));
    if (!found && this.#unread) throw this.#unread;
    return found?.plan ?? null;
  }

  /** The error of a plan that is damaged. */
  #unread: unknown = null;

  #once(): Promise<void> {
    this.#read ??= this.#readAll();
    return this.#read;
  }

  // The newest plan comes first, because its rows take precedence.
  async #readAll(): Promise<void> {
    for (const plan of await this.#plans()) {
      try {
        await this.#readOne(plan);
      } catch (error) {
        if (!isEducationAdminError(error) || plan.endsWith(".open")) throw error;
        this.#unread ??= error;
      }
    }
  }

  async #readOne(path: string): Promise<void> {
    const state = await readState(path);
    const plan = basename(path);
    const { resource, address, params = {}, key } = state.header;
    if (resource !== this.#target.name || address !== this.#target.transport.baseUrl) return;
    const isSameKey = isDeepStrictEqual(key, this.#keys);
    for await (const row of plannedRows(path, state)) {
      const parent = parentOf({ ...this.#target, params }, row.send ?? {});
      const history = historyOf(row, state);
      const { id, differs } = toBulkRow(history);
      const isStored = id !== null && Object.keys(differs).length > 0;
      if (isStored) this.#stored.set(id, { ...differs, ...this.#stored.get(id) });
      if (row.do === "create") this.#noteCreate(history, parent, plan, isSameKey);
      else if (isSameKey && row.key !== undefined)
        this.#noteRecord(row.key, row.id, parent, `row ${row.row} of ${plan}`);
    }
  }

  #noteCreate(history: History, parent: Values, plan: string, isSameKey: boolean): void {
    const { row, made, done } = history;
    if (made || done?.done === "doubled") {
      if (!this.#created.some((one) => isDeepStrictEqual(one.parent, parent))) this.#created.push({ parent, plan });
    }
    const values = this.#keys.map((path) => valueAt(row.send, namesOf(path)));
    // The key may include a part that is not sent.
    const key = isSameKey ? (row.key ?? null) : keyOf(this.#keys, values);
    if (key === null) return;
    const doubt = plan.endsWith(".open") ? doubtOf(history, plan) : null;
    if (doubt !== null) this.#doubts.set(key, doubt);
    this.#noteRecord(key, made?.id, parent, `row ${row.row} of ${plan}`);
  }

  #noteRecord(key: string, id: number | undefined, parent: Values, where: string): void {
    const name = nameOf(parent, key);
    if (id !== undefined && !this.#records.has(name)) this.#records.set(name, { key, id, where });
  }
}

const nameOf = (parent: Values, key: string) => JSON.stringify([parent, alikeForm(key)]);

/** Explains why a row of an ended plan must not be created by another plan; null if it may be. */
export function doubtOf(
  { row: { row, do: what }, done, made, confirmed, stored }: History,
  plan: string,
): ProblemText | null {
  if (what !== "create") return null;
  // A run that has ended leaves no open rows, so a row without an outcome means that the end of the file is missing.
  if (done === null || done.done === "unknown" || confirmed === false) {
    return problemText`may have been created by row ${rowValue(row)} of ${plan}, under another key or where the list does not show it: look for the record. If there is none, remove .open from that file's name and run again`;
  }
  if (stored === null && done.done !== "doubled") return null;
  return problemText`was created by row ${rowValue(row)} of ${plan}${made ? problemText` as record ${rowValue(made.id)}` : ""}, and the service may store its key in another form: write the key as the service stores it`;
}
