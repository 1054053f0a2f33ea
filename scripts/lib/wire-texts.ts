type Json = Record<string, unknown>;

// Docstrings are written for callers of the library. For readers of the HTTP API, these rewordings remove what concerns
// the library alone, such as its arguments and errors.
const REWORDINGS: readonly (readonly [library: RegExp, wire: string])[] = [
  [/ or a `Date` \(its UTC day is used\)/, ""],
  [/,? or a `Date`/, ""],
  [/ \((?:Main and Admin|Admin|Main|Organization) API\)/, ""],
  [/ To get bytes, .+ on any platform\./, ""],
  [
    /so the call is retried after an ambiguous failure although it is a POST/,
    "so it can be sent again after a failure",
  ],
  [/ If the service refuses the \w+ with status 200, the call still throws `ApiError`\./, ""],
  [/; it is thrown as an error/, ""],
  [/`sort: \["created_at:desc"\]`/, "`sort=created_at:desc`"],
  [/The call is never retried after an ambiguous failure, so that [^.]+\./, "Sent twice, it is done twice."],
  [/as `get` returns it/, "as reading one returns it"],
  [/`get` reads one/, "`GET` with an identifier reads one"],
  [/ The service description shows no path for this operation: .+? option `routes`\./, ""],
  [/A 409 from the service is thrown as `ConflictError`/, "The service can respond with 409"],
  [/the other may be null or left out/, "the other may be null"],
  [/required for a new grade without a `(\w+)`/, "null is accepted if there is a `$1`"],
];

/**
 * The documents with texts that suit any client.
 * @throws Error if a rewording matches no text.
 */
export function inWireWords(documents: readonly Json[]): Json[] {
  const used = new Set<RegExp>();
  const reworded = documents.map((document) => mapTexts(document, (text) => wireText(text, used)) as Json);
  const idle = REWORDINGS.filter(([library]) => !used.has(library));
  if (idle.length > 0)
    throw new Error(`no docstring contains these words anymore: ${idle.map(([words]) => words).join(", ")}`);
  return reworded;
}

/**
 * Rewords one docstring for any client.
 * @param used collects the rewordings that matched.
 */
export function wireText(text: string, used?: Set<RegExp>): string {
  return REWORDINGS.reduce((said, [library, wire]) => {
    if (library.test(said)) used?.add(library);
    return said.replace(library, wire);
  }, text);
}

function mapTexts(node: unknown, reword: (text: string) => string): unknown {
  if (Array.isArray(node)) return node.map((entry) => mapTexts(entry, reword));
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => {
    const isText = typeof value === "string" && (key === "description" || key === "summary");
    return [key, isText ? reword(value) : mapTexts(value, reword)] as const;
  });
  return Object.fromEntries(entries);
}
