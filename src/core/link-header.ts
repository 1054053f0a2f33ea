/**
 * Finds the target of one relation in a `Link` header (RFC 8288). Relations may be in any case, unquoted or in the
 * wrong quotes, and one `rel` may list several; addresses may contain commas and semicolons. Reads the text once, so
 * that the cost of a hostile header is proportional to its length.
 * @returns the target as written; null if the relation is absent.
 */
export function linkTarget(header: string | null, relation: string): string | null {
  if (!header) return null;
  let at = 0;
  for (;;) {
    const open = header.indexOf("<", at);
    if (open < 0) return null;
    const close = header.indexOf(">", open);
    if (close < 0) return null;
    const parameters = readParameters(header, close + 1);
    at = parameters.end;
    if (parameters.relations.includes(relation)) return header.slice(open + 1, close).trim();
  }
}

/**
 * True if a `Link` header in which no next page was found may have named one: either it ends inside a link, as if cut
 * off, or it names a next page whose address is not in angle brackets.
 */
export function isTornLink(header: string): boolean {
  let last = -1;
  for (const { 0: part, index } of header.matchAll(PARTS)) {
    if (part.length === 1) return true;
    if (part.startsWith("<")) last = index + part.length;
  }
  if (last < 0) return /\brel\s*=\s*["']?next/i.test(header);
  if (/[,;]$/.test(header.trimEnd())) return true;
  // Every link must have a relation (RFC 8288, 3.3), so a link that ends before it, or within `next`, was cut off.
  return readParameters(header, last).relations.every((relation) => "next".startsWith(relation));
}

// Matches addresses and quoted strings; if an address or string is unterminated, only its first character.
const PARTS = /<[^>]*>|"[^"\\]*(?:\\.[^"\\]*)*"|[<"]/gs;

// Matches a parameter whose value is in quotes (the closing quote may be missing) or extends to the next parameter or
// link; otherwise any single character.
const PARAMETER = /;([^=;,]*)(?:=[ \t]*(?:"([^"\\]*(?:\\.[^"\\]*)*)"?|([^;,]*)))?|./sy;

// Reads `; name=value` pairs up to the comma that ends this link.
function readParameters(header: string, start: number): { relations: readonly string[]; end: number } {
  let relations: readonly string[] = [];
  let end = start;
  while (end < header.length && header[end] !== ",") {
    PARAMETER.lastIndex = end;
    const [, name, quoted, plain] = PARAMETER.exec(header) ?? [];
    end = PARAMETER.lastIndex;
    const value = quoted ?? plain?.trim().replace(/^'(.*)'$/, "$1");
    // Only the first rel parameter counts (RFC 8288, 3.3).
    if (value !== undefined && relations.length === 0 && name?.trim().toLowerCase() === "rel") {
      relations = value.toLowerCase().split(/[ \t]/);
    }
  }
  return { relations, end };
}
