import { fromWindows1252 } from "./windows-1252.js";

// The encodings with one byte for each character, the most common first.
const ONE_BYTE = ["windows-1252", "macintosh", "cp850", "windows-1250", "iso-8859-15", "iso-8859-2"] as const;
export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", ...ONE_BYTE] as const;
/** The encoding of a file. */
export type FileEncoding = (typeof ENCODINGS)[number];

/** Detects the encoding from the first bytes of a file; UTF-8 if they give no hint. */
export function encodingOf(bytes: Uint8Array): FileEncoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  // In UTF-16, separators, digits and line breaks contain a zero byte in any language.
  const zeros = [0, 0];
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (Math.max(even, odd) < bytes.length / 20) return "utf-8";
  return odd > even ? "utf-16le" : "utf-16be";
}

const OTHER_FILES: readonly (readonly [RegExp, string])[] = [
  [/^PK[^ -~]/, "is a workbook, which readSheet reads, or another ZIP file"],
  [/^\xd0\xcf[^ -~]\xe0/, "is an .xls file, the format before 2007; save it as .xlsx, which readSheet reads"],
  [/^%PDF/, "is a PDF, not CSV"],
  [/^[^ -~]\x8b/, "is compressed with gzip; unpack it first"],
  [
    /^(\xef\xbb\xbf)?\s*<(!doctype|html|head|body)/i,
    "is a web page, such as a login page or a proxy's message, not CSV",
  ],
  [/^(\xef\xbb\xbf)?\s*<table/i, "is an HTML table; open it in a spreadsheet and save the sheet as CSV UTF-8"],
  [/^(\xef\xbb\xbf)?\s*<[?a-z]/i, "is XML, not CSV"],
  [/^\{\\rtf/, "is an RTF document, not CSV"],
  [/^(\xef\xbb\xbf)?BEGIN:VC/i, "holds vCards or a calendar, not CSV"],
  [/^(\xef\xbb\xbf)?\s*(\{\s*"|\[\s*[[{])/, "is JSON, not CSV"],
];

/** Names the type of a file that is not CSV, judging by its first bytes; null if it may be CSV. */
export function whyNoCsv(bytes: Uint8Array): string | null {
  const begin = String.fromCharCode(...bytes.subarray(0, 200));
  return OTHER_FILES.find(([pattern]) => pattern.test(begin))?.[1] ?? null;
}

/**
 * Decodes a file part by part.
 * @param given the encoding; undefined to detect it from the first bytes.
 * @param refusal makes the error for a file that is not CSV, and for bytes that are invalid in the encoding.
 */
export async function* decode(
  bytes: AsyncIterable<Uint8Array>,
  given: FileEncoding | undefined,
  refusal: (message: string) => Error,
): AsyncGenerator<string, void, undefined> {
  let encoding = given;
  let read: ReturnType<typeof readerOf> | null = null;
  let line = 1;
  for await (const part of bytes) {
    const why = read ? null : whyNoCsv(part);
    if (why !== null) throw refusal(why);
    encoding ??= encodingOf(part.subarray(0, 4096));
    read ??= readerOf(encoding);
    const text = read(part);
    if (text === null) throw refusal(encoding === "utf-8" ? notUtf8(part, line) : `is not text in ${encoding}`);
    line += text.split("\n").length - 1;
    if (text !== "") yield text;
  }
  if (read?.() === null) throw refusal("ends in the middle of a character: the file is cut off");
}

// The returned function decodes the next part, or ends the text if there is none; it returns null for invalid bytes.
function readerOf(encoding: FileEncoding): (part?: Uint8Array) => string | null {
  const oneByte = ONE_BYTE.find((one) => one === encoding);
  if (oneByte) return (part) => (part ? decodeBytes(part, oneByte) : "");
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  return (part) => {
    try {
      return decoder.decode(part, { stream: part !== undefined });
    } catch {
      return null;
    }
  };
}

type OneByte = (typeof ONE_BYTE)[number];

// The second half of code page 850, which the platform cannot decode.
const CP850 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0";

function decodeBytes(bytes: Uint8Array, encoding: OneByte): string {
  if (encoding === "windows-1252") return fromWindows1252(bytes);
  if (encoding !== "cp850") return new TextDecoder(encoding).decode(bytes);
  return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : (CP850[byte - 0x80] ?? ""))).join("");
}

function notUtf8(bytes: Uint8Array, line: number): string {
  const [before = ""] = new TextDecoder("utf-8").decode(bytes).split("\uFFFD", 1);
  const at = new TextEncoder().encode(before).length;
  const where = `line ${line + before.split("\n").length - 1}`;
  const advice = "save it as CSV UTF-8";
  const [best, ...others] = guesses(bytes.subarray(Math.max(0, at - 40)));
  if (!best) return `is not UTF-8 text, see ${where}; ${advice}`;
  const more = others.map(({ encoding, letters }) => `, or ${encoding} if the letters are ${letters}`).join("");
  return `is not UTF-8 text: ${where} has ${best.letters} in ${best.encoding}; ${advice}, or pass the encoding ${best.encoding}${more}`;
}

// More words would not change the guess; more letters would not help the reader of the message.
const WORDS = 200;
const LETTERS = 5;

// The likely encodings of bytes, best first, each with the first letters outside ASCII that it yields.
function guesses(bytes: Uint8Array): readonly { readonly encoding: OneByte; readonly letters: string }[] {
  const scored = ONE_BYTE.map((encoding) => {
    const words = (decodeBytes(bytes, encoding).match(/[^\s,;|"]*[^\0-\x7f][^\s,;|"]*/g) ?? []).slice(0, WORDS);
    const letters = [...new Set(words.join("").replace(/[\0-\x7f]/g, ""))].slice(0, LETTERS).join(", ");
    return { encoding, letters, score: words.reduce((sum, word) => sum + scoreOf(word), 0) };
  }).sort((one, other) => other.score - one.score);
  const likely = scored.filter(({ score }) => score > 0 && score >= 0.85 * (scored[0]?.score ?? 0));
  // If several encodings yield the same letters, the choice makes no difference, so the first is kept.
  return likely.filter(({ letters }, at) => likely.findIndex((one) => one.letters === letters) === at);
}

const WESTERN = /[àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿßœšž]/;
const EASTERN = /[ąćęłńóśźżčďěňřťůőűășțşţđ]/;

/**
 * The encoding of a file, by its first bytes. If several fit, only those count that yield no letters foreign to the
 * languages of the known header words. Null unless exactly one is left.
 */
export function likelyEncoding(bytes: Uint8Array): FileEncoding | null {
  const first = encodingOf(bytes.subarray(0, 4096));
  if (decodeStart(bytes, first) !== null) return first;
  const all = guesses(bytes);
  const known = all.filter(({ encoding }) => !UNKNOWN.test(decodeBytes(bytes, encoding)));
  const [one, ...others] = all.length > 1 ? known : all;
  return one && others.length === 0 ? one.encoding : null;
}

const UNKNOWN = /(?![àâäáãéèêëíîïóôöõúùûüçñœæÿß])[^\0-\x7f\P{Ll}]/u;

/** Decodes the beginning of a file; null if it is not text in this encoding. */
export function decodeStart(bytes: Uint8Array, encoding: FileEncoding): string | null {
  return readerOf(encoding)(bytes);
}

// Rates how likely a word is: a lowercase letter after a letter is likely; a capital after a lowercase letter, or a
// symbol within a word, is not.
function scoreOf(word: string): number {
  let score = 0;
  for (const { 0: sign, index } of word.matchAll(/[^\0-\x7f]/gu)) {
    const before = word[index - 1] ?? "";
    if (/\p{Lu}/u.test(sign)) score += /\p{Ll}/u.test(before) ? -2 : 0.5;
    else if (WESTERN.test(sign)) score += 1;
    else if (EASTERN.test(sign)) score += 0.9;
    else if (sign !== "’" && sign !== "–" && sign !== "€") score -= 2;
    else if (/\p{L}/u.test(before)) score -= sign === "’" ? 0 : 1;
  }
  return score;
}
