import type { Spec } from "./contract.ts";

// The forms of drafted lines, and the places to edit for facts that are written by hand.
export const READ: Readonly<Record<string, string>> = {
  ...{ integer: "z.int()", string: "z.string()", boolean: "z.boolean()", number: "z.number()" },
  ...{ decimal: "decimal()", date: "date()", datetime: "dateTime()" },
};
export const SENT: Readonly<Record<string, string>> = {
  ...{ ...READ, decimal: "decimalInput()", date: "dateInput()", datetime: "dateTimeInput()" },
};
/** Values that a seeded record of the sandbox gets, by type. */
export const SEEDS: Readonly<Record<string, string>> = {
  ...{ integer: "1", string: '"text"', boolean: "false", number: "1", decimal: '"0.00"', date: '"2030-01-01"' },
  ...{ datetime: '"2030-01-01T08:00:00.000Z"', array: "[]" },
};
export const HIDDEN = "choose its class: until then it is a note, which assistants neither see nor filter by";

export const MOVES = `give its row (or the table, if all rows move) BOTH, MAIN_ONLY or ADMIN_ONLY as \`apis\`; a resource that both APIs have is a line in src/clients/provider.ts, any other in main.ts or admin.ts`;
export const NOTE = `mark its method @deprecated with what replaces it, and give the resource's notes the same text: \`deprecated: { main: "…", admin: "…" }\``;
export const BY_HAND: Readonly<Record<string, string>> = {
  deprecation: NOTE,
  ...{ beta: "write `beta` in its row, and @beta in the docstring of its method", status: "write `status` in its row" },
  ...{
    feature: "write `feature` in its row, and the flag in the docstring of its method",
    scopes: "write `scopes` in its row",
  },
  response: "write `response` in its row, and the type of its method",
  body: "write `body` in its row, and let its method take it",
};

export function wrapped(inner: string, { type, optional, required }: Spec, types: typeof READ): string {
  const value = type.endsWith("|null") ? `z.nullable(${inner})` : inner;
  return (types === SENT ? !required : optional) ? `z.optional(${value})` : value;
}

/** The docstring of a new field, in the service's words if it has any. */
export function docOf(spec: Spec | undefined, rest = ""): string {
  return `  /** FOLLOW: ${spec?.text || "say what it holds."}${rest} */\n`;
}
