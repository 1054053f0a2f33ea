const MARKS: Readonly<Record<string, string>> = {
  uml: "\u0308",
  acute: "\u0301",
  grave: "\u0300",
  circ: "\u0302",
  tilde: "\u0303",
  ring: "\u030A",
  cedil: "\u0327",
  caron: "\u030C",
};
const SIGNS: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  rsquo: "'",
  nbsp: " ",
  szlig: "ß",
  oslash: "ø",
  Oslash: "Ø",
  aelig: "æ",
  AElig: "Æ",
};

/** Replaces HTML entities with their characters; keeps unknown entities. */
export function readEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (all, decimal, hex, name) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    if (code > 0 && code < 0x110000) return String.fromCodePoint(code);
    const mark = MARKS[String(name).slice(1)];
    return SIGNS[name] ?? (mark === undefined ? all : `${name[0]}${mark}`.normalize("NFC"));
  });
}

/** Reverses the escapes that a program added to a text for HTML, a URL, JSON or SQL; null if the text has none. */
export function unescaped(text: string): string | null {
  const read = readEntities(text)
    .replace(/(?:%[\da-f]{2})+/gi, (bytes) => {
      try {
        return decodeURIComponent(bytes);
      } catch {
        return bytes;
      }
    })
    .replace(/\\u([\da-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\(['"\\])/g, "$1");
  return read === text ? null : read;
}
