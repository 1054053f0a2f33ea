import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { beginOf } from "../work/place/node-files.js";
import { HAS_PASSWORD, LIMITS, MB, refuse, WorkbookError } from "./limits.js";

const IS_OLD = "is an .xls file, the format before 2007; save it as .xlsx";

export type Attributes = Readonly<Record<string, string>>;
/** Receives the elements of a part, by their local names. */
export interface Handler {
  readonly open?: Readonly<Record<string, (attributes: Attributes) => void>>;
  readonly text?: (text: string) => void;
  /** True for an element, by its full name, that is left out with everything in it. */
  readonly skip?: (name: string) => boolean;
  /** Called with the text since the last tag, which is the whole text of an element without child elements. */
  readonly close?: Readonly<Record<string, (text: string) => void>>;
}

/** The parts of a workbook, as the directory of its ZIP archive lists them. */
export class Package {
  readonly #zip: ZipFile;
  readonly #entries = new Map<string, Entry>();

  private constructor(zip: ZipFile) {
    this.#zip = zip;
  }

  /** @throws WorkbookError if the file is not a ZIP archive; errors of the file system. */
  static async open(path: string | URL): Promise<Package> {
    await refuseOthers(path);
    const { yauzl } = await import("#workbook-libraries");
    const file = path instanceof URL ? fileURLToPath(path) : path;
    const zip = await whole("the file", yauzl.openPromise(file, { lazyEntries: true, autoClose: false }));
    const made = new Package(zip);
    try {
      await whole("the file", made.#readDirectory());
      return made;
    } catch (error) {
      made.close();
      throw error;
    }
  }

  async #readDirectory(): Promise<void> {
    if (this.#zip.entryCount > LIMITS.parts) refuse(`has more than ${LIMITS.parts} parts`);
    for await (const entry of this.#zip.eachEntry()) {
      const name = partName(entry.fileName);
      if (this.#entries.has(name)) refuse(`is damaged: two of its parts are named ${name}`);
      this.#entries.set(name, entry);
    }
  }

  has(name: string): boolean {
    return this.#entries.has(partName(name));
  }

  async read(name: string, handler: Handler, limit: number = LIMITS.part): Promise<void> {
    for await (const _ of this.pieces(name, handler, limit));
  }

  /** Reads a part; yields after every piece, so that nothing is read ahead of a slow consumer. */
  async *pieces(name: string, handler: Handler, limit: number): AsyncGenerator<void, void, undefined> {
    const { SaxesParser } = await import("#workbook-libraries");
    const xml = new SaxesParser();
    let depth = 0;
    let inner = "";
    /** Depth inside an element that is left out. */
    let skipped = 0;
    /** Characters since the last tag, which the parser keeps in memory. */
    let since = 0;
    const local = (qualified: string) => qualified.slice(qualified.indexOf(":") + 1);
    // Entities could refer to other files, or expand without end.
    xml.on("doctype", () => refuse("declares XML entities, which no spreadsheet program does"));
    xml.on("error", ({ message }) => refuse(`is damaged: ${name}, ${message}`));
    xml.on("opentag", (tag) => {
      since = 0;
      inner = "";
      if (++depth > LIMITS.depth) refuse(`is damaged: ${name} is nested too deeply`);
      if (skipped > 0 || handler.skip?.(tag.name)) skipped++;
      else handler.open?.[local(tag.name)]?.(tag.attributes);
    });
    const onText = (text: string) => {
      if (skipped > 0) return;
      inner += text;
      handler.text?.(text);
    };
    xml.on("text", onText);
    xml.on("cdata", onText);
    xml.on("closetag", (tag) => {
      since = 0;
      depth--;
      if (skipped > 0) skipped--;
      else handler.close?.[local(tag.name)]?.(inner);
      inner = "";
    });
    for await (const text of this.#texts(name, limit)) {
      since += text.length;
      xml.write(text);
      if (since > LIMITS.text) refuse(`has a text of more than ${LIMITS.text} characters`);
      yield;
    }
    xml.close();
  }

  async *#texts(name: string, limit: number): AsyncGenerator<string, void, undefined> {
    const entry = this.#entries.get(partName(name)) ?? refuse(`is damaged: it lacks ${name}`);
    if (entry.isEncrypted()) refuse(HAS_PASSWORD);
    // The declared size can be trusted: the ZIP reader fails if a part unpacks to more.
    if (entry.uncompressedSize > limit) refuse(`is too large: ${name} unpacks to more than ${limit / MB} MB`);
    const stream = await whole(name, this.#zip.openReadStreamPromise(entry));
    let decoder: TextDecoder | undefined;
    let crc = 0;
    try {
      for await (const piece of stream as AsyncIterable<Uint8Array>) {
        crc = crc32(piece, crc);
        decoder ??= new TextDecoder(encodingOf(piece), { fatal: true });
        yield decoder.decode(piece, { stream: true });
      }
      if (crc !== entry.crc32) refuse(`is damaged: the checksum of ${name} is wrong`);
      if (decoder) yield decoder.decode();
    } catch (error) {
      throw damaged(name, error);
    } finally {
      stream.destroy();
    }
  }

  /**
   * The parts to which a part is related; the keys are `type` and `type identifier`. Leaves out targets outside the
   * file. The name "" stands for the whole file.
   */
  async relations(of: string): Promise<ReadonlyMap<string, string>> {
    const folder = of.slice(0, of.lastIndexOf("/") + 1);
    const name = `${folder}_rels/${of.slice(folder.length)}.rels`;
    const found = new Map<string, string>();
    const Relationship = ({ Id = "", Type = "", Target = "", TargetMode }: Attributes) => {
      if (TargetMode === "External") return;
      const type = Type.slice(Type.lastIndexOf("/") + 1);
      for (const key of [`${type} ${Id}`, type]) if (!found.has(key)) found.set(key, targetOf(folder, Target));
    };
    if (this.has(name)) await this.read(name, { open: { Relationship } });
    return found;
  }

  close(): void {
    this.#zip.close();
  }
}

function partName(name: string): string {
  return name.replaceAll("\\", "/").replace(/^\//, "").toLowerCase();
}

function targetOf(folder: string, target: string): string {
  const plain = target.replaceAll("\\", "/");
  const parts: string[] = [];
  for (const part of `${plain.startsWith("/") ? "" : folder}${plain}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

function damaged(what: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  // Errors with other codes come from the file system or the caller, and stay unchanged.
  if (error instanceof WorkbookError || (code !== undefined && !/^(Z_|ERR_ENCODING)/.test(code))) return error;
  return new WorkbookError(`is damaged or cut off: ${what}, ${message}`);
}

async function whole<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw damaged(what, error);
  }
}

// Refuses a file that is not a ZIP archive, and names its type.
async function refuseOthers(path: string | URL): Promise<void> {
  const stats = await stat(path);
  if (stats.isDirectory()) refuse("is a folder");
  if (!stats.isFile()) refuse("is not a file; a workbook cannot be read from a pipe");
  const begin = await beginOf(path, MB);
  if (begin.length === 0) refuse("is empty");
  if (begin.toString("latin1", 0, 2) === "PK") return;
  if (begin.length > 4 && begin.readUInt32BE(0) === 0xd0cf11e0)
    refuse(begin.includes(Buffer.from("EncryptedPackage", "utf16le")) ? HAS_PASSWORD : IS_OLD);
  if (/^\ufeff?\s*</.test(begin.toString("utf8", 0, 200)))
    refuse("is a web page or XML; open it in a spreadsheet program and save it as .xlsx");
  refuse("is not a workbook; read a CSV file with readCsv");
}
