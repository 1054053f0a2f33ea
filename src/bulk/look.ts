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
  #tail: string | undefined;
  #found = new Map<string, Records>();
  /** The newest record that this job is known to have created. */
  last: Created | null = null;

  constructor(service: Service, header: Header, name: string) {
    this.#service = service;
    this.#header = header;
    this.#name = name;
    this.#tail = header.tail;
  }

  /** Notes a record that was created. */
  created(row: PlannedRow, id: number): void {
    if (id > (this.last?.id ?? 0)) this.last = { row, id };
  }

  /** The records with the key of a row that the last look has found. */
  newer(row: PlannedRow): readonly number[] {
    return this.#found.get(this.#parent(row))?.get(row.key ?? "")?.ids ?? [];
  }

  /**
   * Reads the list from where it ended when the plan was made, or asks for each key.
   * @throws BulkError `blind` when it does not show the newest record that is known.
   */
  async look(rows: readonly PlannedRow[]): Promise<void> {
    const { last } = this;
    const wanted = last ? [last.row, ...rows] : rows;
    await this.#read(wanted);
    if (last && !this.#shows(last) && this.#tail !== undefined) {
      // New records do not come at the end after all.
      this.#tail = undefined;
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
      if (this.#header.filter !== undefined) {
        const value = valueAt(row.send, namesOf(this.#header.filter));
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
