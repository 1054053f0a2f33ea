/** What can happen to a thing that the library takes from its caller. */
export const COLUMNS = [
  "throws",
  "rejects",
  "hangs",
  "ends",
  "emits error",
  "two callers",
  "second copy",
  "configured otherwise",
] as const;

/** Tests as `path › title`, or a sentence why it cannot happen. */
export type Cell = { readonly test: string | readonly string[] } | { readonly cannot: string };

/** What happens to one thing. */
export type Row = Readonly<Record<(typeof COLUMNS)[number], Cell>>;

export const SILENT = { cannot: "It is no emitter: it has no events." };
export const FUNCTION = {
  cannot: "It is a function, which does not end; its failure is the cell of throws and rejects.",
};
export const ONLY_CALLED = { cannot: "It is only called: nothing asks of which class or copy it is." };
