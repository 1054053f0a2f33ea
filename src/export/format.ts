import { isPresent } from "../work/fields/path.js";
import { type Column, columnsOfRecords, type ExportFormat, nameColumn } from "./columns.js";
import { type CsvOptions, csvRow } from "./csv.js";
import type { ExportState } from "./state.js";

export class PageWriter {
  /** Identifies all settings that affect the output. An export cannot be continued with other settings. */
  readonly identity: string;
  readonly #format: ExportFormat;
  readonly #csv: CsvOptions;
  readonly #known: readonly Column[] | null;
  #columns: readonly Column[] | null;
  #absent: readonly Column[];

  /** @param columns null for the whole record or, in CSV, for the columns of the first page. */
  constructor(format: ExportFormat, columns: readonly Column[] | null, csv: CsvOptions, gzip: boolean) {
    this.#format = format;
    this.#csv = csv;
    this.#known = this.#columns = columns;
    this.#absent = columns?.filter(({ isNamed }) => isNamed) ?? [];
    this.identity = JSON.stringify({
      format,
      gzip,
      columns: this.#columns?.map(({ header, path, code }) => (code ? [header, path, code] : [header, path])) ?? null,
      ...(format === "csv" && { delimiter: csv.delimiter ?? "," }),
    });
  }

  /** The columns found in the first page, for continuing the export; null if the caller or the schema gave them. */
  get foundColumns(): readonly string[] | null {
    return this.#known ? null : (this.#columns?.map(({ header }) => header) ?? null);
  }

  /** The columns that the caller named and whose field no record has had so far. */
  get absent(): readonly string[] {
    return this.#absent.map(({ header }) => header);
  }

  /** Restores the found and the absent columns of an earlier process; null to start over. */
  resume(earlier: Pick<ExportState, "columns" | "absent"> | null): void {
    this.#columns = earlier?.columns?.map(nameColumn) ?? this.#known;
    const named = this.#known?.filter(({ isNamed }) => isNamed) ?? [];
    this.#absent = named.filter(({ header }) => earlier?.absent.includes(header) ?? true);
  }

  /** The text of one page. @param first true for the first page of the file, which starts with the CSV header. */
  page(records: readonly unknown[], first: boolean): string {
    if (this.#format === "ndjson") {
      this.#noteAbsent(records);
      return records.map((record) => `${JSON.stringify(this.#pickColumns(record))}\n`).join("");
    }
    const columns = this.columnsFor(records);
    if (columns === null) return "";
    const rows = records.map((record) =>
      csvRow(
        columns.map(({ read }) => read(record)),
        this.#csv,
      ),
    );
    const names = columns.map(({ header }) => header);
    return first ? `${csvRow(names, this.#csv)}${rows.join("")}` : rows.join("");
  }

  columnsFor(records: readonly unknown[]): readonly Column[] | null {
    this.#noteAbsent(records);
    if (this.#columns === null && records.length > 0) this.#columns = columnsOfRecords(records);
    return this.#columns;
  }

  #noteAbsent(records: readonly unknown[]): void {
    this.#absent = this.#absent.filter(({ read }) => !records.some((record) => isPresent(read(record))));
  }

  #pickColumns(record: unknown): unknown {
    if (this.#columns === null) return record;
    return Object.fromEntries(this.#columns.map(({ header, read }) => [header, read(record) ?? null]));
  }
}
