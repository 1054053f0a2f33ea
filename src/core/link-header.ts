/**
 * Finds the target of one relation in a `Link` header (RFC 8288): quoted and unquoted relations, those in the wrong
 * quotes too, several in one parameter, any letter case, commas and semicolons inside the address. Reads the text once
 * from left to right, so a hostile header costs no more than its length.
 * @returns the target as written, or null when the relation is not there.
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
 * Whether a `Link` header without a next page may have had one: it ends inside a link, as one that was cut off does, or names
 * a next page whose address is not in angle brackets.
 */
export function isTornLink(header: string): boolean {
  let last = -1;
  for (let at = 0; at < header.length; at++) {
    if (header[at] === "<") {
      last = at = header.indexOf(">", at);
      if (at < 0) return true;
    } else if (header[at] === '"') {
      for (at++; at < header.length && header[at] !== '"'; at++) if (header[at] === "\\") at++;
      if (at >= header.length) return true;
    }
  }
  if (last < 0) return /\brel\s*=\s*["']?next/i.test(header);
  if (/[,;]$/.test(header.trimEnd())) return true;
  // Every link has a relation (RFC 8288, 3.3).
  return readParameters(header, last + 1).relations.every((relation) => "next".startsWith(relation));
}

// Reads `; name=value` pairs up to the comma that ends this link.
function readParameters(header: string, start: number): { relations: string[]; end: number } {
  let relations: string[] = [];
  let at = start;
  while (at < header.length && header[at] !== ",") {
    if (header[at] !== ";") {
      at++;
      continue;
    }
    const nameEnd = seek(header, at + 1, "=;,");
    const name = header
      .slice(at + 1, nameEnd)
      .trim()
      .toLowerCase();
    at = nameEnd;
    if (header[at] !== "=") continue;
    const value = readValue(header, at + 1);
    at = value.end;
    // The first rel counts (RFC 8288, 3.3).
    if (name === "rel" && relations.length === 0) relations = value.text.toLowerCase().split(/[ \t]/);
  }
  return { relations, end: at };
}

function readValue(header: string, start: number): { text: string; end: number } {
  let at = start;
  while (header[at] === " " || header[at] === "\t") at++;
  if (header[at] !== '"') {
    const end = seek(header, at, ";,");
    // Single quotes are no quotes in a header, but a list must not end early over them.
    const text = header.slice(at, end).trim();
    return { text: text.replace(/^'(.*)'$/, "$1"), end };
  }
  const from = ++at;
  while (at < header.length && header[at] !== '"') at += header[at] === "\\" ? 2 : 1;
  return { text: header.slice(from, at), end: at + 1 };
}

function seek(header: string, start: number, stops: string): number {
  let at = start;
  while (at < header.length && !stops.includes(header[at] as string)) at++;
  return at;
}
