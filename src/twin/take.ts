import type { AdminClient } from "../clients/admin.js";
import type { MainClient } from "../clients/main.js";
import { inputError } from "../core/call/request.js";
import { ConnectionError } from "../core/errors.js";
import { settingsIn, withSettings } from "../core/inside-client.js";
import type { Page } from "../core/lists/pages.js";
import { acceptAny, callable, flag, type OptionTable, readOptions, whole } from "../core/option-checks.js";
import type { Schema } from "../core/schema/traits.js";
import { QUIET } from "../doctor/doctor.js";
import { gather, readSamples } from "../doctor/evidence.js";
import { type AnyRecord, Reader, type Reading } from "../doctor/reader.js";
import type { Twin } from "../sandbox/twin.js";
import { fieldsIn, type SchoolDefinitions, type SchoolField, type SchoolFields } from "../school/definitions.js";
import { readSchool, unlessRefused } from "../school/read-school.js";
import { LEAST } from "../work/kinds.js";
import { KEPT, keptOf, keptOfSchool } from "./keep.js";
import { mannersIn } from "./manners.js";
import { roundedCount, shapeOf } from "./shape.js";

/** Options for {@link takeTwin}. */
export interface TakeTwinOptions {
  /**
   * Maximum number of pages of 100 records to read from each list about people and money. Default 8; more pages measure
   * a large school better.
   */
  readonly pages?: number | undefined;
  /**
   * False to leave out the names of courses, categories and labels, and the titles and choices of the school's own
   * fields. Default true.
   */
  readonly names?: boolean | undefined;
  /** Called after every request, once the total is roughly known. An exception it throws rejects `takeTwin`. */
  readonly onProgress?: ((progress: TwinProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The progress of {@link takeTwin}. */
export interface TwinProgress {
  /** Number of requests sent. */
  readonly requests: number;
  /** Estimated total number of requests. */
  readonly expected: number;
}

/** Lists about people and money: only how often each kind of value occurs is measured. */
const DRAWN = [
  ...["users", "accounts", "teachers", "affiliations", "meetingLocations", "plannedCourses", "meetings"],
  ...["programEditions", "enrollments", "programEnrollments", "teacherEnrollments", "attendances"],
  ...["orders", "invoices", "leads", "tasks"],
];
const OPTIONS = {
  pages: [/* @__PURE__ */ whole(1), 8],
  names: [flag, true],
  onProgress: [callable<(progress: TwinProgress) => void>],
  signal: [acceptAny<AbortSignal>],
} satisfies OptionTable<TakeTwinOptions>;
const PAGE_SIZE = 100;
/** Requests regardless of list lengths: 16 to measure the service's behavior and 4 for the school's own fields. */
const FIXED = 20;
const MOST_REQUESTS = 10_000;
const MOST_MS = 3_600_000;

/**
 * Reads a school for a sandbox that resembles it, with GET requests only. The twin keeps definitions and records
 * without personal data; for lists about people and money, only how often each kind of value occurs. Lists that the
 * key may not read are in `unread`. An interrupted run cannot be resumed: start it again.
 * @throws InputError if an option is invalid; the client's error if the service fails.
 * @example
 * import { takeTwin } from "education-admin-sdk/twin";
 *
 * const twin = await takeTwin(client);
 * console.log(twin.counts.users);
 */
export async function takeTwin(client: MainClient | AdminClient, options: TakeTwinOptions = {}): Promise<Twin> {
  const { pages, names, onProgress, signal } = readOptions(options, OPTIONS, (path, message) =>
    inputError("takeTwin", [{ path, message }]),
  );
  let requests = 0;
  let expected = 0;
  const request = () => {
    requests++;
    if (expected > 0) onProgress?.({ requests, expected: Math.max(expected, requests) });
  };
  const { clock } = settingsIn(client);
  const on = { request, ...QUIET };
  const counted = withSettings(client, { readOnly: true, on });
  const reader = new Reader(counted, clock, { requests: MOST_REQUESTS, ms: MOST_MS }, signal, true);
  const samples = await readSamples(reader);
  const others = [...Object.keys(KEPT), ...DRAWN].filter((name) => !samples.some(({ resource }) => resource === name));
  const firsts = [...samples];
  for (const name of others) if (reader.resource(name)) firsts.push(await reader.list(name, { per_page: PAGE_SIZE }));
  for (const first of firsts) if (!isRefused(first)) pageOf(first);
  const lists = firsts.filter(({ resource }) => resource in KEPT || DRAWN.includes(resource));
  expected = firsts.reduce((sum, first) => sum + more(first, samples.includes(first), reader, pages), requests + FIXED);
  onProgress?.({ requests, expected });
  const evidence = await gather(reader, samples, client, on);
  const read = new Map<string, Reading["records"]>();
  for (const first of lists) {
    const tail = evidence.tails.find(({ sample }) => sample === first)?.tail;
    if (first.page) read.set(first.resource, await recordsAfter(reader, first, tail, pages));
  }
  const school = await schoolOf(counted as MainClient, names);
  const told = lists.filter(({ page }) => page);
  const unread = [
    ...firsts.filter(({ page }) => !page).map(({ resource, status }) => [resource, status ?? 0] as const),
    ...(school ? [] : [["signupQuestions", 403] as const]),
  ];
  // Fails if the key was revoked during the run; otherwise the school would look smaller than it is.
  const [readable] = told;
  if (unread.length > 0 && readable) pageOf(await reader.list(readable.resource, { per_page: 1 }));
  const isInSingle = (list: string, field: string) =>
    evidence.singles.some(({ reading }) => reading.resource === list && field in (reading.records[0] ?? {}));
  const recordsOf = (list: string) => read.get(list) ?? [];
  const totalOf = (list: string, page: Reading["page"]) => page?.total ?? recordsOf(list).length;
  // Kept lists may be short, so two records are enough to include an unknown field or value.
  const least = (list: string) => (list in KEPT ? Math.max(2, Math.min(LEAST, recordsOf(list).length)) : LEAST);
  return {
    version: 1,
    taken: new Date(clock.now()).toISOString().slice(0, 10),
    names,
    manners: mannersIn(evidence),
    headers: headersOf(told),
    unread: sortEntries(unread),
    disabledFeatures: [
      ...new Set(firsts.flatMap(({ operation, page }) => (page || !operation.feature ? [] : [operation.feature]))),
    ].sort(),
    school: school ?? {},
    data: sortEntries(
      told.flatMap(({ resource, operation }) =>
        resource in KEPT
          ? [[resource, keptOf(resource, recordsOf(resource), operation.response as Schema, names)] as const]
          : [],
      ),
    ),
    counts: sortEntries(
      told.flatMap(({ resource, page }) => {
        const total = totalOf(resource, page);
        return resource in KEPT ? [] : [[resource, total > 0 && total < LEAST ? "few" : roundedCount(total)] as const];
      }),
    ),
    shape: sortEntries(
      told.map(({ resource, operation, page }) => {
        const total = resource in KEPT ? null : totalOf(resource, page);
        const shape = shapeOf(recordsOf(resource), operation.response as Schema, least(resource), total);
        // Drops fields that appear only when a single record is read.
        const measured = Object.entries(shape).filter(
          ([path, { most, ...others }]) =>
            most !== "absent" || Object.keys(others).length > 0 || !isInSingle(resource, path),
        );
        return [resource, Object.fromEntries(measured)] as const;
      }),
    ),
  };
}

// True if the status shows that the key may not read the list; any other response must be a list.
function isRefused({ refusal }: Reading): boolean {
  return refusal?.status === 403 || refusal?.status === 404;
}

// Throws if the service failed or asked the client to wait, because nothing is then known about the list.
function pageOf({ page, error, resource, operation, failure }: Reading): Page<AnyRecord> {
  if (page) return page;
  throw error ?? new ConnectionError(`${resource}: ${failure}`, { operation: operation.id, outcome: null });
}

function lastOf({ page, records }: Reading): number {
  return page?.total ? Math.ceil(page.total / records.length) : 0;
}

// The number of requests after a list's first page. A sample also includes a single record and the last
// page.
function more(first: Reading, isSample: boolean, reader: Reader, pages: number): number {
  const { resource, page, records, operation } = first;
  const single = isSample && records.length > 0 && reader.resource(resource)?.get ? 1 : 0;
  if (!page?.hasNext) return single;
  const tail = isSample && operation.paged === "cursor+page" ? 1 : 0;
  const last = lastOf(first) || pages;
  if (resource in KEPT) return single + tail + last - 1;
  return single + (DRAWN.includes(resource) ? Math.max(tail, Math.min(last, pages) - 1) : tail);
}

// All records of a list whose records the twin keeps; for other lists, those of evenly spaced pages.
async function recordsAfter(
  reader: Reader,
  first: Reading,
  tail: Reading | undefined,
  pages: number,
): Promise<Reading["records"]> {
  const { resource, operation, page, records } = first;
  const all = [...records, ...(tail ? pageOf(tail).records : [])];
  const last = lastOf(first);
  const isKept = resource in KEPT;
  const byNumber = !isKept && last > 0 && operation.paged === "cursor+page";
  const count = byNumber ? Math.min(last, pages) - 1 : isKept ? Number.POSITIVE_INFINITY : pages - 1;
  let before = page;
  for (let step = 1; step <= count && (byNumber || before?.hasNext); step++) {
    const number = 1 + Math.round((step * (last - 1)) / count);
    if (byNumber && number === last && tail) break;
    const next = byNumber
      ? await reader.list(resource, { per_page: PAGE_SIZE, page: number })
      : await reader.list(resource, {}, before?.checkpoint);
    before = pageOf(next);
    all.push(...next.records);
  }
  return [...new Map(all.map((record) => [record.id, record])).values()];
}

async function schoolOf(client: MainClient, names: boolean): Promise<SchoolDefinitions | null> {
  const read = await unlessRefused(readSchool(client));
  if (!read) return null;
  const definitions = keptOfSchool(read.definitions);
  return names ? definitions : withoutTexts(definitions);
}

function withoutTexts({ objects = {}, associations, ...kinds }: SchoolDefinitions): SchoolDefinitions {
  const bare = (fields: SchoolFields | undefined) =>
    Object.fromEntries(
      [...fieldsIn(fields)].map(([slug, { title: _, options: __, ...field }]) => [slug, field as SchoolField]),
    );
  const bareAll = (groups: object) =>
    Object.fromEntries(Object.entries(groups).map(([name, fields]) => [name, bare(fields as SchoolFields)]));
  return { ...bareAll(kinds), objects: bareAll(objects), ...(associations && { associations }) };
}

function headersOf(lists: readonly Reading[]): string[] {
  const [first, ...others] = lists;
  const names = [...(first?.headers.keys() ?? [])].filter((name) => /^[a-z][a-z-]{0,39}$/.test(name));
  return names.filter((name) => others.every(({ headers }) => headers.has(name))).sort();
}

function sortEntries<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
