/** How far an export is. */
export interface ExportProgress {
  /** Records written, those of earlier runs included. */
  readonly records: number;
  /** Pages written, those of earlier runs included. */
  readonly pages: number;
  /** Bytes written, those of earlier runs included. */
  readonly bytes: number;
  /** Records per second of this run. */
  readonly recordsPerSecond: number;
  /** How many records the list has, as the service says (`page.total`); null if it does not. */
  readonly total: number | null;
  /** Share of the list that is written, 0 to 99, and 100 after the last page; null if the total is missing or wrong. */
  readonly percent: number | null;
  /** When the export ends, by its pace and the windows of the rate limit to come; null if `percent` is or is 100. */
  readonly expectedEnd: Date | null;
  /** True when this run continued an earlier one. */
  readonly resumed: boolean;
}
