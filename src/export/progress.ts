/** Progress of an export. */
export interface ExportProgress {
  /** Records written, including those of earlier runs. */
  readonly records: number;
  /** Pages written, including those of earlier runs. */
  readonly pages: number;
  /** Bytes written, including those of earlier runs. */
  readonly bytes: number;
  /** Records per second of this run. */
  readonly recordsPerSecond: number;
  /** Number of records in the list according to the service (`page.total`); null if it gives none. */
  readonly total: number | null;
  /** Percentage of the list written: 0 to 99, and 100 after the last page; null if the total is missing or wrong. */
  readonly percent: number | null;
  /** Expected end, from the pace so far and the rate limit windows still to come; null if `percent` is null or 100. */
  readonly expectedEnd: Date | null;
  /** True if this run continued an earlier one. */
  readonly resumed: boolean;
}
