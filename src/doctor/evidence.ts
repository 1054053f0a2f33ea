import type { AdminClient } from "../clients/admin.js";
import type { MainClient } from "../clients/main.js";
import type { Observers } from "../core/events.js";
import { apiOf, settingsIn } from "../core/inside-client.js";
import { type Clues, NO_ID, PAGE_SIZE, readAsOthers, readByIds, readOdd, schoolMark } from "./clues.js";
import { type AnyRecord, isId, type Reader, type Reading } from "./reader.js";

/** The results of the requests that the checks judge. A part is null if it could not be requested. */
export interface Evidence extends Clues {
  readonly baseUrl: string;
  readonly api: "main" | "admin";
  /** The client's request budget per window; null without a limit. */
  readonly requestLimit: number | null;
  /** When the evidence is judged, by the client's clock. */
  readonly now: number;
  /** The readings, in order, that got a response with a status below 500. */
  readonly readings: readonly Reading[];
  /** The first page of each list, with up to 100 records. */
  readonly samples: readonly Reading[];
  readonly tails: readonly { readonly sample: Reading; readonly tail: Reading }[];
  readonly pages: Pages | null;
  readonly singles: readonly { readonly listed: AnyRecord; readonly reading: Reading }[];
  readonly absent: Reading | null;
  /** The result of reading a record conditionally, with its ETag. */
  readonly conditional: Reading | null;
}

/** Pages of one list: all but `sample` have two records each. */
export interface Pages {
  readonly sample: Reading;
  readonly first: Reading;
  /** The second page: read twice through the link on the first page, and again after everything else was read. */
  readonly next: Reading | null;
  readonly again: Reading | null;
  readonly later: Reading | null;
  readonly second: Reading;
  readonly wrong: Reading | null;
}

/**
 * One list from each domain; the lists that most checks need come first. Lists that a client or its API lacks are
 * skipped.
 */
const SAMPLES = [
  ...["accounts", "users", "courses", "plannedCourses", "enrollments", "orders", "invoices", "leads", "teachers"],
  ...["labels", "programs", "customObjects", "organizations", "departments", "organization.contacts"],
];

/** Minimum number of records in a list whose pages are judged. */
const ENOUGH = 5;

/** Reads the first page of one list from each domain. @throws the client's error if no list can be read. */
export async function readSamples(reader: Reader): Promise<Reading[]> {
  const samples: Reading[] = [];
  for (const name of SAMPLES) {
    if (reader.resource(name)) samples.push(await reader.list(name, { per_page: PAGE_SIZE }));
    // If the first request gets no response, the others will get none either.
    if (reader.isSilent && samples[0]?.status === null) throw samples[0].error;
  }
  if (samples[0]?.error && samples.every(({ failure }) => failure !== null)) throw samples[0].error;
  return samples;
}

export type Behavior = Omit<Evidence, "emails" | "hundred">;

/** Reads the rest of the evidence. @param observers for requests with an invalid key or none. */
export async function gather(
  reader: Reader,
  samples: readonly Reading[],
  client: MainClient | AdminClient,
  observers: Observers,
): Promise<Behavior> {
  const pages = await gatherPages(reader, samples);
  const readable = samples.find(({ resource, page }) => page && reader.resource(resource)?.get);
  const absent = readable ? await reader.record(readable.resource, NO_ID) : null;
  const singles = await gatherSingles(reader, samples);
  const conditional = await gatherConditional(reader, singles);
  const two = await readByIds(reader, samples, 2, 3);
  const tails = await gatherTails(reader, samples);
  const later = pages?.next && pages.first.page ? await nextOf(reader, pages.first) : null;
  const asOthers = await readAsOthers(reader, client, observers, samples);
  const odd = await readOdd(reader, samples);
  return {
    ...{ samples, tails, singles, absent, conditional, two, odd, ...asOthers },
    baseUrl: client.baseUrl,
    api: apiOf(client) as Evidence["api"],
    requestLimit: settingsIn(client).rateLimit?.requests ?? null,
    mark: await schoolMark(samples),
    pages: pages && { ...pages, later },
    readings: reader.readings,
    now: reader.now,
  };
}

async function gatherPages(reader: Reader, samples: readonly Reading[]): Promise<Pages | null> {
  const sample = samples.find(
    ({ records, operation }) => records.length >= ENOUGH && operation.paged === "cursor+page",
  );
  if (!sample) return null;
  const first = await reader.list(sample.resource, { per_page: 2 });
  const next = await nextOf(reader, first);
  const again = next && (await nextOf(reader, first));
  const second = await reader.list(sample.resource, { per_page: 2, page: 2 });
  const { cursor, checkpoint = "" } = first.page ?? {};
  const wrong = cursor
    ? await reader.list(sample.resource, {}, checkpoint.replace(JSON.stringify(cursor), '"a-cursor-of-nobody"'))
    : null;
  return { sample, first, next, again, second, wrong, later: null };
}

async function nextOf(reader: Reader, { resource, page }: Reading): Promise<Reading | null> {
  return page?.hasNext ? reader.list(resource, {}, page.checkpoint) : null;
}

async function gatherSingles(reader: Reader, samples: readonly Reading[]): Promise<Evidence["singles"]> {
  const singles: { listed: AnyRecord; reading: Reading }[] = [];
  for (const { resource, records } of samples) {
    const listed = records.at(-1);
    if (!listed || !isId(listed.id) || !reader.resource(resource)?.get) continue;
    const reading = await reader.record(resource, listed.id);
    // A record that has left the list was deleted in the meantime, so a failed read of it proves nothing.
    const isGone = reading.failure !== null && reading.status !== null;
    if (isGone && !(await isListed(reader, resource, listed.id))) continue;
    singles.push({ listed, reading });
  }
  return singles;
}

async function isListed(reader: Reader, resource: string, id: number): Promise<boolean> {
  const { page, records } = await reader.list(resource, { per_page: PAGE_SIZE });
  return page !== null && records.some((record) => record.id === id);
}

// Requests the last page by its number, because cursors lead to it only through all earlier pages.
async function gatherTails(reader: Reader, samples: readonly Reading[]): Promise<Evidence["tails"]> {
  const tails: { sample: Reading; tail: Reading }[] = [];
  for (const sample of samples) {
    const { page, resource, operation, records } = sample;
    if (!page?.hasNext || records.length === 0 || operation.paged !== "cursor+page") continue;
    const { total } = page;
    const count =
      total === null
        ? (await reader.list(resource, { per_page: PAGE_SIZE, page: 1 })).page?.pageCount
        : Math.ceil(total / records.length);
    if (!count || count < 2) continue;
    const tail = await reader.list(resource, { per_page: PAGE_SIZE, page: count });
    // A service that ignores `page` returns the first page again.
    if (tail.records[0]?.id !== records[0]?.id) tails.push({ sample, tail });
  }
  return tails;
}

async function gatherConditional(reader: Reader, singles: Evidence["singles"]): Promise<Reading | null> {
  for (const { listed, reading } of singles) {
    const tag = reading.headers.get("etag");
    if (tag) return reader.record(reading.resource, listed.id as number, { "if-none-match": tag });
  }
  return null;
}
