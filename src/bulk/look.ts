import { isEducationAdminError } from "../core/errors.js";
import { BulkError } from "./errors.js";
import { namesOf, type Values, valueAt } from "./fields.js";
import { askFor, parentOf, Records } from "./known.js";
import type { Header, PlannedRow } from "./lines.js";
import type { Service } from "./service.js";

/** A create of this job whose record is known. */
interface Created {
  readonly row: PlannedRow;
  readonly id: number;
}

/** Looks for what was created in the list, and believes it only when it shows what is known to be there. */
export class Looker {
  readonly #service: Service;
  readonly #header: Header;
  readonly #name: string;
  // Where a look begins, or the filter by which it asks for each key; both undefined where it reads the whole list.
  #tail: string | undefined;
  #filter: string | undefined;
  #found = new Map<string, Records>();
  // The row of every record that this job is known to have created.
  readonly #rows = new Map<number, number>();
  /** The newest record that this job is known to have created. */
  last: Created | null = null;

  constructor(service: Service, header: Header, name: string) {
    this.#service = service;
    this.#header = header;
    this.#name = name;
    this.#tail = header.tail;
    this.#filter = header.filter;
  }

  /** Notes a record that was created. */
  created(row: PlannedRow, id: number): void {
    this.#rows.set(id, row.row);
    if (id > (this.last?.id ?? 0)) this.last = { row, id };
  }

  /** The records with the key of a row that the last look has found. */
  newer(row: PlannedRow): readonly number[] {
    return this.#found.get(this.#parent(row))?.get(row.key ?? "")?.ids ?? [];
  }

  /**
   * The records of the last look that are newer than the plan, of no other row, and have the key of a row but for case, accents,
   * blanks and punctuation: the service may have stored the key so.
   */
  alike(row: PlannedRow): readonly number[] {
    const ids = this.#found.get(this.#parent(row))?.alike(row.key ?? "") ?? [];
    const { highest = 0 } = this.#header;
    return ids.filter((id) => id > highest && (this.#rows.get(id) ?? row.row) === row.row);
  }

  /** Whether the list shows the newest record that is known under the key with which it was sent. */
  get keepsKeys(): boolean {
    return this.last !== null && this.newer(this.last.row).includes(this.last.id);
  }

  /**
   * Reads the list from where it ended when the plan was made, or asks for each key.
   * @param doubts creates that were sent; the whole list is read before one of them counts as missing because of a filter.
   * @throws BulkError `blind` when it does not show the newest record that is known.
   */
  async look(doubts: readonly PlannedRow[], others: readonly PlannedRow[] = []): Promise<void> {
    const { last } = this;
    const wanted = [...(last ? [last.row] : []), ...doubts, ...others];
    await this.#read(wanted);
    const isMissing = (row: PlannedRow) => this.newer(row).length === 0;
    const isUnsure = (last && !this.#shows(last)) || (this.#filter !== undefined && doubts.some(isMissing));
    if (isUnsure && (this.#tail ?? this.#filter) !== undefined) {
      // New records do not come at the end after all, or the service has stored a key otherwise than it was sent.
      this.#tail = undefined;
      this.#filter = undefined;
      await this.#read(wanted);
    }
    if (last && !this.#shows(last)) {
      const message = `${this.#name}: the list does not show record ${last.id}, which was created for row ${last.row.row}, so it cannot show what else was created. Nothing more was sent.`;
      throw new BulkError("blind", message);
    }
  }

  #shows({ row, id }: Created): boolean {
    return this.#found.get(this.#parent(row))?.ids.has(id) ?? false;
  }

  async #read(rows: readonly PlannedRow[]): Promise<void> {
    this.#found = new Map();
    for (const row of rows) {
      const parent = this.#parent(row);
      const found = this.#found.get(parent);
      if (this.#filter !== undefined) {
        const value = valueAt(row.send, namesOf(this.#filter));
        const asked = await askFor(this.#service, JSON.parse(parent) as Values, this.#header.key, value);
        this.#found.set(parent, found ? found.merge(asked) : asked);
      } else if (!found) this.#found.set(parent, await this.#list(JSON.parse(parent) as Values));
    }
  }

  async #list(parent: Values): Promise<Records> {
    const { target } = this.#service;
    const { list } = target.rows;
    const records = new Records(target, this.#header.key);
    if (!list) return records;
    try {
      for await (const page of this.#service.pages(list, parent, {}, this.#tail)) {
        for (const record of page.records) records.add(record, []);
      }
      return records;
    } catch (error) {
      if (this.#tail === undefined || !isEducationAdminError(error, "checkpoint")) throw error;
      // The service no longer knows the cursor.
      this.#tail = undefined;
      return this.#list(parent);
    }
  }

  #parent(row: PlannedRow): string {
    return JSON.stringify(parentOf(this.#service.target, row.send ?? {}));
  }
}
