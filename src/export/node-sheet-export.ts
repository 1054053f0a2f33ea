import { InputError } from "../core/errors.js";
import type { PageSource } from "../core/lists/page-source.js";
import type { ClientLookups } from "../lookups/client-lookups.js";
import { clockIn, instantOf } from "../work/days.js";
import type { FieldKind } from "../work/fields/path.js";
import { zoneOf } from "../work/zone.js";
import { WorkbookError } from "../workbook/limits.js";
import { type ColumnStyle, WorkbookWriter } from "../workbook/node-write.js";
import { TypedCell } from "../workbook/typed-cell.js";
import type { Column } from "./columns.js";
import type { ExportSource } from "./resumable.js";

const STYLES: Readonly<Partial<Record<FieldKind, ColumnStyle>>> = {
  integer: "number",
  identifier: "number",
  number: "number",
  decimal: "amount",
  day: "day",
  instant: "moment",
};

export class SheetExport {
  readonly #operation: string;
  readonly #columns: readonly Column[];
  readonly #writer: WorkbookWriter;
  readonly #clock: ((instant: number) => string) | null;

  private constructor(operation: string, columns: readonly Column[], writer: WorkbookWriter, zone: string | null) {
    this.#operation = operation;
    this.#columns = columns;
    this.#writer = writer;
    this.#clock = zone === null ? null : clockIn(zone);
  }

  /** @param zone time zone of the times; undefined for the school's, which is read if a column has times. */
  static async of(
    { operation, source }: Pick<ExportSource<unknown>, "operation" | "source">,
    columns: readonly Column[],
    zone: string | undefined,
  ): Promise<SheetExport> {
    const hasTimes = columns.some(({ kind }) => kind === "instant");
    const known = zone ?? (source && hasTimes ? await schoolZone(source) : null);
    const styled = columns.map(({ header, kind }) => ({ name: header, style: STYLES[kind] ?? "text" }));
    const writer = await refusing(operation.id, WorkbookWriter.of(styled));
    return new SheetExport(operation.id, columns, writer, known);
  }

  async add(records: readonly unknown[]): Promise<Uint8Array> {
    const rows = records.map((record) => this.#columns.map(({ read, kind }) => this.#valueOf(read(record), kind)));
    return await refusing(this.#operation, this.#writer.add(rows));
  }

  async end(): Promise<Uint8Array> {
    return await this.#writer.end();
  }

  // Text outside time columns stays text, even if it looks like a time.
  #valueOf(value: unknown, kind: FieldKind): unknown {
    const instant = kind === "instant" || value instanceof Date ? instantOf(value) : null;
    if (instant !== null && this.#clock) return new TypedCell("moment", this.#clock(instant));
    return value instanceof Date ? value.toISOString() : value;
  }
}

async function schoolZone(source: PageSource): Promise<string | null> {
  const { state } = await (source.parts.lookups as ClientLookups).load();
  const { transport, parts } = state;
  const row = parts.operations().find(({ id }) => id === "educators.get");
  return await zoneOf(row && (() => transport.call(row, { params: {} }, { signal: source.options.signal })));
}

// The outcome is not `not_sent`, because records have been read by now.
async function refusing<T>(operation: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error;
    const message = `a workbook ${error.message}`;
    throw new InputError(`${operation}: ${message}.`, [{ path: "format", message }], { operation, outcome: null });
  }
}
