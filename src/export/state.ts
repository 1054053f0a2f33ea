/** What is recorded beside an unfinished export: how far it is, and what it is an export of. */
export interface ExportState {
  readonly version: 1;
  readonly operation: string;
  /** Hash of the list: its address, operation, filters and start. */
  readonly list: string;
  /** Hash of the API key: another school may have the same address. */
  readonly key: string;
  /** Format, columns and compression. */
  readonly format: string;
  /** Columns of CSV that the first page had; null when they were known before. */
  readonly columns: readonly string[] | null;
  /** Where the list continues. */
  readonly checkpoint: string;
  readonly records: number;
  readonly pages: number;
  /** Bytes of the whole pages; what comes after them is cut off. */
  readonly size: number;
  /** CRC-32 of these bytes. */
  readonly crc: number;
}

/** What an export is of. */
export type ExportIdentity = Pick<ExportState, "operation" | "list" | "key" | "format">;

/** Reads a recorded state; null for text that this version did not write. */
export function parseState(text: string | null): ExportState | null {
  if (text === null) return null;
  let value: Partial<ExportState> | null;
  try {
    value = JSON.parse(text) as Partial<ExportState> | null;
  } catch {
    return null;
  }
  if (value?.version !== 1) return null;
  const { operation, list, key, format, checkpoint, columns } = value;
  if (![operation, list, key, format, checkpoint].every((part) => typeof part === "string")) return null;
  if (columns !== null && !(Array.isArray(columns) && columns.every((name) => typeof name === "string"))) return null;
  const counts = [value.records, value.pages, value.size, value.crc];
  return counts.every((count) => Number.isSafeInteger(count) && (count as number) >= 0) ? (value as ExportState) : null;
}

/** Says why a recorded export is another one than the one that is asked for; null when it is the same, with any key. */
export function otherExport(state: ExportState, wanted: ExportIdentity): string | null {
  if (state.operation !== wanted.operation) return `of ${state.operation}`;
  if (state.list !== wanted.list)
    return "of the same operation with other filters, other references, another start or another address";
  return state.format === wanted.format ? null : "in another format, with other columns or another compression";
}
