/** Doubts about all rows of a run, compared with those of the previous run. */
export const RUN_DOUBTS = ["mostly_new", "no_rows"] as const;
/** A doubt about all rows of a run, as `allow` names it. */
export type RunDoubt = (typeof RUN_DOUBTS)[number];

export type RowCounts = Readonly<Record<"create" | "update" | "leave" | "refuse", number>>;

// Fewer new rows than this are no reason for doubt.
const FEW = 10;

/**
 * Explains why these are probably not the intended rows, compared with those of the previous run; null if there is no
 * doubt.
 */
export function whyUnlikely(
  now: RowCounts,
  last: RowCounts,
): { readonly doubt: RunDoubt; readonly why: string } | null {
  const [rows, before] = [now, last].map(({ create, update, leave, refuse }) => create + update + leave + refuse) as [
    number,
    number,
  ];
  const matched = last.update + last.leave;
  if (rows === 0 && before > 0) return { doubt: "no_rows", why: `there are no rows, but the last run had ${before}.` };
  if (now.create < FEW || now.create <= rows / 2 || matched <= before / 2) return null;
  const why = `${now.create} of ${rows} rows would create records, but in the last run ${matched} of ${before} matched existing records. Is the key column still the same?`;
  return { doubt: "mostly_new", why };
}
