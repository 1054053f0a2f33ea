/** The state stored next to an unfinished export: its progress, and the identity of its list and format. */
export interface ExportState {
  readonly version: 1;
  readonly operation: string;
  /** Hash of the list: its address, operation, filters and start. */
  readonly list: string;
  /** Hash of the filters as they applied on the day of the export; "" if they do not depend on the day. */
  readonly today: string;
  /** Hash of the API key, because another school may have the same address. */
  readonly key: string;
  readonly format: string;
  /** The CSV columns found in the first page; null if they were known in advance. */
  readonly columns: readonly string[] | null;
  /** The named columns whose field no record has had so far. */
  readonly absent: readonly string[];
  readonly checkpoint: string;
  readonly records: number;
  readonly pages: number;
  /** Size of the whole pages in bytes. Resuming cuts off the rest of the file. */
  readonly size: number;
  /** CRC-32 of the whole pages. */
  readonly crc: number;
}

export type ExportIdentity = Pick<ExportState, "operation" | "list" | "today" | "key" | "format">;

/** Parses a stored state; null if it is invalid or has another version. */
export function parseState(text: string | null): ExportState | null {
  if (text === null) return null;
  let value: Partial<ExportState> | null;
  try {
    value = JSON.parse(text) as Partial<ExportState> | null;
  } catch {
    return null;
  }
  if (value?.version !== 1) return null;
  const { operation, list, today, key, format, checkpoint, columns, absent } = value;
  if (![operation, list, today, key, format, checkpoint].every((part) => typeof part === "string")) return null;
  if (![columns === null ? [] : columns, absent].every(isTexts)) return null;
  const counts = [value.records, value.pages, value.size, value.crc];
  return counts.every((count) => Number.isSafeInteger(count) && (count as number) >= 0) ? (value as ExportState) : null;
}

const isTexts = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === "string");

/** Explains how a stored export differs from the wanted one, apart from the key and the day; null if it does not. */
export function otherExport(state: ExportState, wanted: ExportIdentity): string | null {
  if (state.operation !== wanted.operation) return `of ${state.operation}`;
  if (state.list !== wanted.list)
    return "of the same operation with different filters, references, starting position or base URL";
  return state.format === wanted.format ? null : "in another format, with other columns or another compression";
}
