/** What is wrong with a row, and the same without what is this row's alone: by that rows are counted. */
export interface ProblemText {
  readonly message: string;
  readonly reason: string;
}

/** A value that is one row's alone. */
export const rowValue = (value: unknown): ProblemText => ({ message: String(value), reason: "…" });

/** Says what is wrong with a row: said`row ${own(3)} has the same key` is counted as `row … has the same key`. */
export function problemText(texts: TemplateStringsArray, ...parts: readonly (ProblemText | string)[]): ProblemText {
  const text = (what: keyof ProblemText) =>
    String.raw({ raw: texts }, ...parts.map((part) => (typeof part === "string" ? part : part[what])));
  return { message: text("message"), reason: text("reason") };
}
