import { fromWindows1252 } from "./windows-1252.js";

export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const;
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
  [/^PK[^ -~]/, "is a workbook or another ZIP file; save the sheet as CSV UTF-8"],
  [/^\xd0\xcf[^ -~]\xe0/, "is a workbook in an old format; save the sheet as CSV UTF-8"],
  [/^%PDF/, "is a PDF, not CSV"],
  [/^[^ -~]\x8b/, "is compressed with gzip; unpack it first"],
  [
    /^(\xef\xbb\xbf)?\s*<(!doctype|html|head|body|\?xml)/i,
    "is a web page, such as a login page or a proxy's message, not CSV",
  ],
  [/^(\xef\xbb\xbf)?\s*(\{\s*"|\[\s*[[{])/, "is JSON, not CSV"],
];

/** Names the type of a file that is not CSV, judging by its first bytes; null if it may be CSV. */
export function whyNoCsv(bytes: Uint8Array): string | null {
  const begin = String.fromCharCode(...bytes.subarray(0, 200));
  return OTHER_FILES.find(([pattern]) => pattern.test(begin))?.[1] ?? null;
}

/**
 * Decodes a file part by part.
 * @param refusal makes the error for bytes that are invalid in the encoding.
 */
export async function* decode(
  bytes: AsyncIterable<Uint8Array>,
  encoding: FileEncoding,
  refusal: (message: string) => Error,
): AsyncGenerator<string, void, undefined> {
  if (encoding === "windows-1252") {
    for await (const part of bytes) yield fromWindows1252(part);
    return;
  }
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  let line = 1;
  let last = new Uint8Array();
  const text = (part?: Uint8Array) => {
    try {
      return part ? decoder.decode(part, { stream: true }) : decoder.decode();
    } catch {
      if (!part) throw refusal("ends in the middle of a character: the file is cut off");
      throw refusal(encoding === "utf-8" ? notUtf8(last, line) : `is not text in ${encoding}`);
    }
  };
  for await (const part of bytes) {
    last = new Uint8Array(part);
    const found = text(part);
    line += found.split("\n").length - 1;
    if (found !== "") yield found;
  }
  text();
}

function notUtf8(bytes: Uint8Array, line: number): string {
  const [before = ""] = new TextDecoder("utf-8").decode(bytes).split("\uFFFD", 1);
  const at = new TextEncoder().encode(before).length;
  const letter = fromWindows1252(bytes.subarray(at, at + 1));
  const where = `line ${line + before.split("\n").length - 1}`;
  const isLetter = /\p{L}/u.test(letter);
  const advice = "save it as CSV UTF-8";
  return isLetter
    ? `is not UTF-8 text: ${where} has ${letter} in Windows-1252; ${advice}, or pass the encoding windows-1252`
    : `is not UTF-8 text, see ${where}; ${advice}`;
}
