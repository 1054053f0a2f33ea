import { promisify } from "node:util";
import { gzip as gzipCallback } from "node:zlib";
import { onAbort, raceAbort } from "../core/abort.js";
import { inputError } from "../core/call/request.js";
import type { InputIssue } from "../core/error-details.js";
import { CheckpointError } from "../core/errors.js";
import { callObserver } from "../core/events.js";
import { isPlainObject } from "../core/json.js";
import { checkNames, type Names } from "../core/option-checks.js";
import { listProgress } from "../work/list-progress.js";
import { type Files, machineFiles } from "../work/place/node-files.js";
import { FileLock } from "../work/place/node-lock.js";
import { targetAt } from "../work/place/node-target.js";
import { writeError } from "../work/place/problem.js";
import { isZone } from "../work/zone.js";
import { type ExportColumns, type ExportFormat, givenColumns, schemaColumns } from "./columns.js";
import type { CsvOptions } from "./csv.js";
import { PageWriter } from "./format.js";
import { type JoinedSchemas, joinedSchemas } from "./joined-schemas.js";
import { BESIDE, type PageState, PartFile } from "./node-part-file.js";
import { SheetExport } from "./node-sheet-export.js";
import { pathOf, targetProblem } from "./node-target.js";
import type { ExportProgress } from "./progress.js";
import { type ExportedPage, type ExportSource, exportSource } from "./resumable.js";
import { type ExportIdentity, otherExport } from "./state.js";
import { type ExportStream, StreamWriter } from "./stream.js";

/** Options of {@link exportTo}. */
export interface ExportOptions<T> {
  /**
   * `xlsx`: a workbook for people, with a header, typed cells, and no formula. `csv`: a header, then one row per
   * record, for programs. `ndjson`: each record as the service sent it, one JSON text per line.
   */
  readonly format: ExportFormat;
  /**
   * The values to write. Default for `ndjson`: the whole record. Default for `csv` and `xlsx`: every field of the
   * record's schema and of the records that `with` adds, with nested records field by field (`address.city`), and
   * arrays and custom fields as JSON. Records without a schema get the columns of the first page, or of the first 100
   * records.
   */
  readonly columns?: ExportColumns<T> | undefined;
  /** Options for writing CSV. */
  readonly csv?: CsvOptions | undefined;
  /**
   * Time zone of the times in a workbook, such as `Europe/Amsterdam`. Default: the school's, which takes one request to
   * read; if the key may not read it, times stay text in UTC.
   */
  readonly timeZone?: string | undefined;
  /** True to compress the output with gzip. Default false. Not for workbooks, which are already compressed. */
  readonly gzip?: boolean | undefined;
  /** Maximum number of records to write. Default: all. */
  readonly limit?: number | undefined;
  /**
   * True to continue an interrupted export. If that export used another API key, this one starts over; all keys of a
   * key function count as one. Default false: starts over. Only for lists of a client that are written to files, and
   * not for workbooks.
   */
  readonly resume?: boolean | undefined;
  /** Called after each page is written. Exceptions that it throws are ignored. */
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

/** Summary of a finished export. */
export interface ExportResult extends Pick<ExportProgress, "records" | "pages" | "bytes" | "resumed"> {
  /**
   * Number of records in the list, from the last page of this run that stated it (`page.total`); null if none did.
   * Compare it with `records`.
   */
  readonly total: number | null;
  /** Columns named in `columns` whose field no record had: the list may not contain it. Empty without records. */
  readonly absent: readonly string[];
}

const OPTIONS: Names<ExportOptions<unknown>> = {
  format: 1,
  columns: 1,
  csv: 1,
  timeZone: 1,
  gzip: 1,
  limit: 1,
  resume: 1,
  onProgress: 1,
};
const CSV_OPTIONS: Names<CsvOptions> = { delimiter: 1 };

const compress = promisify(gzipCallback);

/**
 * Writes a list, or any records, to a file or a stream, page by page. A file gets its name only once it is complete;
 * until then it grows as `<file>.part`, next to `<file>.state`. If the process is killed, the power fails or the disk
 * is full, no record is lost, repeated or damaged: the next run with `resume: true` continues after the last whole
 * page, and the finished file is the same. A replaced file keeps its permissions. A symbolic link stays, and the file
 * that it points to is replaced. A stream gets one page at a time and is not ended.
 * @throws InputError if an option or the list's query is invalid, or the path is a folder, a pipe or a device. Nothing
 * was sent.
 * @throws InputError if another export on this machine is writing to the file. Nothing was sent.
 * @throws InputError naming the column, if its function throws, or returns a promise, an invalid Date or a value that
 * JSON cannot represent.
 * @throws CheckpointError with `resume`, if the unfinished export is of another list, or has another format or other
 * columns (functions are compared by their source text).
 * @throws the errors of the list, the file system and the stream; the error for a full disk names the remedy.
 * @example
 * const { records } = await exportTo("open.csv", client.invoices.list({ status: ["open"] }), {
 *   format: "csv",
 *   columns: ["number", "account_name", "total_open"],
 *   resume: true,
 * });
 * console.log(`${records} invoices`);
 */
export async function exportTo<T>(
  target: string | URL | ExportStream,
  records: AsyncIterable<T> | Iterable<T>,
  options: ExportOptions<T>,
): Promise<ExportResult> {
  return await exportWith(machineFiles, target, records, options);
}

export async function exportWith<T>(
  files: Files,
  target: string | URL | ExportStream,
  records: AsyncIterable<T> | Iterable<T>,
  options: ExportOptions<T>,
): Promise<ExportResult> {
  const list = await exportSource(records);
  const problem = targetProblem(target);
  if (problem !== null) throw exportError(list, [{ path: "target", message: problem }]);
  const path = pathOf(target);
  const writer = checkedWriter(list, list.source ? await joinedSchemas(list.source) : new Map(), path, options);
  const run = new Run(list, writer, options);
  if (path === null) return await run.toStream(target as ExportStream);
  const found = await targetAt(path, ...BESIDE);
  if (!("path" in found)) {
    const advice = found.stream ? STREAM_ADVICE : found.advice;
    throw exportError(list, [{ path: "target", message: `${found.what}; ${advice}` }]);
  }
  const file = new PartFile(found, files);
  let lock: FileLock | string = "";
  try {
    lock = await FileLock.of(found.path, files);
    if (typeof lock === "string")
      throw exportError(list, [{ path: "target", message: inUseMessage(lock, found.path) }]);
    return await run.toFile(file, found.path);
  } catch (error) {
    const next = list.source && options.format !== "xlsx" ? "export again with resume: true" : "export again";
    throw writeError(found.path, error, "An existing file is unchanged", next);
  } finally {
    await file.close();
    if (typeof lock !== "string") await lock.release();
  }
}

const STREAM_ADVICE = "pass a stream to write to it, such as process.stdout or one from createWriteStream";

function inUseMessage(who: string, path: string): string {
  return `is being written by another export of ${who} (${path}.lock); wait until it has ended, or name another file`;
}

type Counts = Pick<ExportProgress, "records" | "pages" | "bytes">;

const NOTHING: Counts = { records: 0, pages: 0, bytes: 0 };

class Run<T> {
  readonly #list: ExportSource<T>;
  readonly #writer: PageWriter;
  readonly #options: ExportOptions<T>;
  readonly #started = performance.now();
  #done = NOTHING;
  /** Counts of the run that this one continues; null if it starts from the beginning. */
  #before: Counts | null = null;
  #total: number | null = null;
  #sheet: SheetExport | null = null;

  constructor(list: ExportSource<T>, writer: PageWriter, options: ExportOptions<T>) {
    this.#list = list;
    this.#writer = writer;
    this.#options = options;
  }

  async toStream(stream: ExportStream): Promise<ExportResult> {
    const writer = new StreamWriter(stream);
    // An abort ends the wait for a stream that never accepts the page.
    const write = (bytes: Uint8Array) => raceAbort(writer.write(bytes), this.#list.source?.options.signal);
    try {
      await this.#write(null, write, writer.broken);
      const ending = await this.#ending();
      if (ending.length > 0) await write(ending);
      return this.#result;
    } finally {
      writer.close();
    }
  }

  async toFile(file: PartFile, path: string): Promise<ExportResult> {
    const limit = this.#limit;
    const list = limit === Number.POSITIVE_INFINITY ? this.#list.identity : `${this.#list.identity}, ${limit} records`;
    const { operation, today, key } = this.#list;
    const identity = { operation: operation.id, list, today, key, format: this.#writer.identity };
    const append = (bytes: Uint8Array, { checkpoint }: ExportedPage<T>) =>
      file.append(bytes, this.#state(identity, checkpoint));
    const checkpoint = this.#options.resume ? await this.#resume(file, path, identity) : null;
    try {
      await this.#write(checkpoint, append);
    } catch (error) {
      if (this.#before === null || !(error instanceof CheckpointError)) throw error;
      // The service no longer accepts the cursor, so the whole list must be read again.
      await this.#restart(file);
      await this.#write(null, append);
    }
    await file.finish(await this.#ending());
    return this.#result;
  }

  async #resume(file: PartFile, path: string, identity: ExportIdentity): Promise<string | null> {
    const state = await file.readState();
    if (state === null) return null;
    const other = otherExport(state, identity);
    if (other !== null) {
      throw new CheckpointError(
        `${identity.operation}: ${path}.part is an unfinished export ${other}. Nothing was sent. Finish that export, or leave out resume to replace it.`,
        { operation: identity.operation, outcome: "not_sent" },
      );
    }
    // Starts over, because conditions that refer to today match other records on another day.
    if (state.today !== identity.today) return null;
    // Starts over, because another key may belong to another school with other records and cursors.
    if (state.key !== identity.key || !(await file.resume(state))) return null;
    this.#done = this.#before = { records: state.records, pages: state.pages, bytes: state.size };
    this.#writer.resume(state);
    return state.checkpoint;
  }

  async #restart(file: PartFile): Promise<void> {
    await file.restart();
    this.#writer.resume(null);
    this.#before = null;
    this.#total = null;
    this.#done = NOTHING;
  }

  /** @param broken aborts once no more pages can be written, so that the page being read is not awaited. */
  async #write(
    checkpoint: string | null,
    write: (bytes: Uint8Array, page: ExportedPage<T>) => Promise<void>,
    broken?: AbortSignal,
  ): Promise<void> {
    const limit = this.#limit;
    if (this.#done.records >= limit) return;
    const pages = this.#list.after(checkpoint, this.#done.pages)?.byPage();
    if (!pages) return;
    const stop = onAbort(broken, () => void pages.return());
    try {
      for await (const page of pages) {
        // Skips an empty page that took no request: an earlier run had already read the list to its end.
        if (page.response.attempts === 0 && page.records.length === 0) continue;
        const { records: before, pages: pagesBefore, bytes: size } = this.#done;
        const records = page.records.slice(0, limit - before);
        const bytes = await this.#encode(records, size === 0);
        this.#done = { records: before + records.length, pages: pagesBefore + 1, bytes: size + bytes.length };
        this.#total = page.total ?? this.#total;
        await write(bytes, page);
        this.#report(page);
        if (this.#done.records >= limit) break;
      }
    } finally {
      stop();
    }
    broken?.throwIfAborted();
  }

  // Each page is a complete gzip member, so the file is still valid if it is cut off after any page.
  async #encode(records: readonly unknown[], isFirst: boolean): Promise<Uint8Array> {
    if (this.#options.format === "xlsx") return await this.#addToSheet(records);
    const text = this.#writer.page(records, isFirst);
    if (text === "") return new Uint8Array();
    return this.#options.gzip ? await compress(text) : new TextEncoder().encode(text);
  }

  async #addToSheet(records: readonly unknown[]): Promise<Uint8Array> {
    const columns = this.#writer.columnsFor(records) ?? [];
    this.#sheet ??= await SheetExport.of(this.#list, columns, this.#options.timeZone);
    return await this.#sheet.add(records);
  }

  // An empty gzip file needs one member, or gunzip rejects it.
  async #ending(): Promise<Uint8Array> {
    const isEmpty = this.#options.gzip && this.#done.bytes === 0;
    if (this.#options.format === "xlsx" && !this.#sheet) await this.#addToSheet([]);
    const bytes = this.#sheet ? await this.#sheet.end() : isEmpty ? await compress("") : new Uint8Array();
    this.#done = { ...this.#done, bytes: this.#done.bytes + bytes.length };
    return bytes;
  }

  #state(identity: ExportIdentity, checkpoint: string): PageState {
    const { records, pages } = this.#done;
    const { foundColumns: columns, absent } = this.#writer;
    return { ...identity, columns, absent, checkpoint, records, pages };
  }

  #report(page: ExportedPage<T>): void {
    const limit = this.#limit;
    const { records, pages } = this.#done;
    const before = this.#before ?? NOTHING;
    const hasNext = page.hasNext && records < limit;
    const total = page.total === null ? null : Math.min(page.total, limit);
    const elapsedMs = performance.now() - this.#started;
    const { percent, leftMs } = listProgress({
      done: records,
      doneBefore: before.records,
      total,
      hasNext,
      elapsedMs,
      requests: pages - before.pages,
      limit: this.#list.source?.settings.rateLimit ?? null,
    });
    callObserver(this.#options.onProgress, {
      ...this.#done,
      resumed: this.#before !== null,
      recordsPerSecond: Math.round(((records - before.records) * 1_000) / Math.max(elapsedMs, 1)),
      total,
      percent,
      expectedEnd: hasNext && leftMs !== null ? new Date(Date.now() + leftMs) : null,
    });
  }

  get #limit(): number {
    return Math.min(
      this.#options.limit ?? Number.POSITIVE_INFINITY,
      this.#list.source?.shape.atMost ?? Number.POSITIVE_INFINITY,
    );
  }

  get #result(): ExportResult {
    const absent = this.#done.records === 0 ? [] : this.#writer.absent;
    return { ...this.#done, resumed: this.#before !== null, total: this.#total, absent };
  }
}

function checkedWriter<T>(
  list: ExportSource<T>,
  joined: JoinedSchemas,
  path: string | null,
  options: ExportOptions<T>,
): PageWriter {
  const issues: InputIssue[] = [];
  const fail = (name: string, message: string) => exportError(list, [{ path: name, message }]);
  checkNames(options, OPTIONS, fail);
  const { format, columns, csv = {}, timeZone, gzip = false, limit, resume = false, onProgress } = options;
  const isSheet = format === "xlsx";
  const rule = (path: string, holds: boolean, message: string) => {
    if (!holds) issues.push({ path, message });
  };
  const isWhole = limit === undefined || (Number.isSafeInteger(limit) && limit > 0);
  rule("limit", isWhole, "must be a positive whole number");
  rule("format", isSheet || format === "ndjson" || format === "csv", "must be xlsx, csv or ndjson");
  rule("timeZone", timeZone === undefined || isZone(timeZone), "must be a time zone, such as Europe/Amsterdam");
  rule("timeZone", timeZone === undefined || isSheet, "is for workbooks: format xlsx");
  rule("gzip", gzip !== true || !isSheet, "is not for workbooks, which are already compressed");
  rule("gzip", typeof gzip === "boolean", "must be true or false");
  rule("resume", typeof resume === "boolean", "must be true or false");
  rule("onProgress", onProgress === undefined || typeof onProgress === "function", "must be a function");
  const isNew = resume !== true;
  rule("resume", isNew || path !== null, "needs a file: it is not known what a stream has received");
  rule("resume", isNew || !isSheet, "is not for workbooks, which cannot be continued: export again, or write csv");
  rule(
    "resume",
    isNew || list.source !== null,
    "needs the result of a client's list method: nothing else can be resumed",
  );
  rule("csv", isPlainObject(csv), "must be a plain object");
  if (isPlainObject(csv)) checkNames(csv, CSV_OPTIONS, fail, "csv.");
  const { delimiter = "," } = csv;
  const isSign = typeof delimiter === "string" && /^[^"\r\n]$/u.test(delimiter);
  rule("csv.delimiter", isSign, "must be one character, neither a quote nor a line break");
  const schema = list.operation.response;
  const written =
    columns !== undefined
      ? givenColumns(columns, schema, joined, issues, list.operation.id, format)
      : format !== "ndjson" && schema
        ? schemaColumns(schema, joined)
        : null;
  if (issues.length > 0) throw exportError(list, issues);
  return new PageWriter(format, written, csv, gzip);
}

function exportError(list: ExportSource<unknown>, issues: readonly InputIssue[]): Error {
  return inputError(list.operation.id, issues);
}
