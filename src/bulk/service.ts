import { isEducationAdminError, NotFoundError } from "../core/errors.js";
import type { Page } from "../core/lists/pages.js";
import type { Operation } from "../core/operation.js";
import { fieldsOf, traitsOf, unwrapped } from "../core/validation/traits.js";
import type { Values } from "./fields.js";
import type { OpenJournal } from "./node-journal.js";
import type { Pace } from "./pace.js";
import { paramsOf, placeholders, type Target, widest } from "./target.js";

/** A record of any resource. */
export type BulkRecord = Values & { readonly id: number };

/** Most records of a page. */
export const PAGE = 100;

/** Sends the requests of one run, in the batch lane, and counts them. */
export class Service {
  readonly target: Target;
  readonly #pace: Pace | null;
  readonly #signal: AbortSignal | undefined;
  readonly #journal: Pick<OpenJournal, "renew"> | undefined;
  requests = 0;

  /** @param journal which stays this run's while it only reads. */
  constructor(
    target: Target,
    pace: Pace | null,
    signal: AbortSignal | undefined,
    journal?: Pick<OpenJournal, "renew">,
  ) {
    this.target = target;
    this.#pace = pace;
    this.#signal = signal;
    this.#journal = journal;
  }

  /** Waits for the right to send a request. */
  async turn(): Promise<void> {
    this.#signal?.throwIfAborted();
    await this.#pace?.turn(this.#signal);
    await this.#journal?.renew();
  }

  /** Sends one request; `turn` has been waited for. @throws the client's errors. */
  async call(row: Operation, params: Values, body?: unknown, totalTimeout?: number): Promise<Values | undefined> {
    const input = { params, ...(body !== undefined && { body }) };
    const call = this.target.transport.call(row, input as never, { ...this.#options, totalTimeout });
    const { data } = await this.#counted(call.withResponse());
    return data as Values | undefined;
  }

  /** Reads the pages of a list, each when the caller takes it. */
  async *pages(
    row: Operation,
    params: Values,
    query: Values,
    resume?: string,
  ): AsyncGenerator<Page<BulkRecord>, void, undefined> {
    const options = { ...this.#options, prefetch: 0, ...(resume !== undefined && { resume }) };
    const own = Object.fromEntries(placeholders(row).map((name) => [name, params[name]]));
    const input = { params: own, query: { ...widest(row), ...query } };
    const pages = this.target.transport.pages(row, input as never, options).byPage();
    try {
      for (;;) {
        await this.turn();
        const next = await this.#counted(pages.next() as Promise<IteratorResult<Page<BulkRecord>>>);
        if (next.done) return;
        yield next.value;
        if (!next.value.hasNext) return;
      }
    } finally {
      await pages.return();
    }
  }

  /** Reads a record; null when there is none that the key may see. */
  async read(id: number): Promise<BulkRecord | null> {
    const { get } = this.target.rows;
    if (!get) return null;
    await this.turn();
    try {
      return (await this.call(get, paramsOf(this.target, get, id))) as BulkRecord | null;
    } catch (error) {
      if (error instanceof NotFoundError) return null;
      throw error;
    }
  }

  /** Reads several records: by the list's filter for identifiers, with the whole list where nothing else reads them, or null. */
  async readMany(ids: readonly number[]): Promise<ReadonlyMap<number, BulkRecord> | null> {
    const { list } = this.target.rows;
    if (!list || wayToRead(this.target) === "one") return null;
    const query = wayToRead(this.target) === "filter" ? { id: ids, per_page: PAGE } : {};
    const wanted = new Set(ids);
    const found = new Map<number, BulkRecord>();
    for await (const { records } of this.pages(list, this.target.params, query)) {
      for (const record of records) if (wanted.has(record.id)) found.set(record.id, record);
    }
    return found;
  }

  get #options() {
    return { priority: "batch" as const, ...(this.#signal && { signal: this.#signal }) };
  }

  async #counted<T>(work: PromiseLike<T>): Promise<T> {
    try {
      const result = await work;
      const { response } = ((result as { value?: unknown }).value ?? result) as Partial<Page<unknown>>;
      this.requests += response?.attempts ?? 0;
      return result;
    } catch (error) {
      if (isEducationAdminError(error)) this.requests += error.attempts;
      throw error;
    }
  }
}

/** How records are read by their identifiers: a page of them by the list's filter, one by one, or the whole list. */
export function wayToRead({ rows: { list, get } }: Pick<Target, "rows">): "filter" | "one" | "list" {
  const filter = fieldsOf(list?.query).id;
  // A filter for one identifier would read no more than `get` does.
  const takesSeveral = filter !== undefined && traitsOf(unwrapped(filter)).kind === "union";
  if (takesSeveral) return "filter";
  return get ? "one" : "list";
}
