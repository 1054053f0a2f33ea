/**
 * Why a row is refused. `reason` omits the row's own values, so that rows with the same reason can be counted together.
 */
export interface ProblemText {
  readonly message: string;
  readonly reason: string;
}

export const rowValue = (value: unknown): ProblemText => ({ message: String(value), reason: "…" });

/** Template tag for problems: `message` contains the values passed to `rowValue`; `reason` has `…` in their place. */
export function problemText(texts: TemplateStringsArray, ...parts: readonly (ProblemText | string)[]): ProblemText {
  const text = (what: keyof ProblemText) =>
    String.raw({ raw: texts }, ...parts.map((part) => (typeof part === "string" ? part : part[what])));
  return { message: text("message"), reason: text("reason") };
}
