/** What is wrong with a row, and the same without what is this row's alone: by that rows are counted. */
export interface Said {
  readonly message: string;
  readonly reason: string;
}

/** Shows a value that is one row's alone. */
export type Own = (value: unknown) => string;

/** What is wrong with a row: `said((own) => `row ${own(3)} has the same key`)` is counted as `row … has the same key`. */
export function said(text: (own: Own) => string): Said {
  return { message: text(String), reason: text(() => "…") };
}
