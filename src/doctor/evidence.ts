import type { AnyRecord, Reader, Reading } from "./reader.js";

/** What the requests gave that the checks judge. A part is null where nothing could be asked. */
export interface Evidence {
  readonly baseUrl: string;
  readonly api: "main" | "admin";
  /** Requests that the client allows itself in a window; null without a limit. */
  readonly requestLimit: number | null;
  /** Everything that was read, in order. */
  readonly readings: readonly Reading[];
  /** The first page of each list, of 100 records. */
  readonly samples: readonly Reading[];
  /** Pages of two records of one list. */
  readonly pages: Pages | null;
  /** Records of lists, and what reading each by its identifier gave. */
  readonly singles: readonly { readonly listed: AnyRecord; readonly reading: Reading }[];
  /** A record that cannot exist. */
  readonly absent: Reading | null;
  /** A record whose ETag the request names. */
  readonly conditional: Reading | null;
  readonly email: Emails | null;
  /** A list filtered by two identifiers. */
  readonly two: { readonly ids: readonly unknown[]; readonly reading: Reading } | null;
  /** What writing gave; null where the caller did not ask for it. */
  readonly written: Written | null;
}

/** Pages of two records of one list. */
export interface Pages {
  readonly sample: Reading;
  readonly first: Reading;
  /** After the link of the first page, twice, and once more after everything else was read. */
  readonly next: Reading | null;
  readonly again: Reading | null;
  readonly later: Reading | null;
  /** Asked for by number. */
  readonly second: Reading;
  /** After a cursor that the service never gave. */
  readonly wrong: Reading | null;
}

/** Users by their e-mail address: one that exists, the same in other letters, one that nobody has. */
export interface Emails {
  readonly id: unknown;
  readonly exact: Reading;
  readonly other: Reading;
  readonly nobody: Reading;
}

/** What writing two users with one e-mail address gave. */
export interface Written {
  readonly requests: number;
  /** Users that were created, or may have been, and stay: the service does not delete users. */
  readonly created: number;
  /** Why the first user was not created; null where they were. */
  readonly failure: string | null;
  /** Seconds after which the list showed the user; null where it never did. */
  readonly shownAfter: number | null;
  /** Whether the service created both users. */
  readonly isDouble: boolean;
  /** The status of the refusal of the second user; null where they were created or no response came. */
  readonly refused: number | null;
}

/** One list of each domain, those of which checks ask more first. Those that a client or its API lacks are left out. */
const SAMPLES = [
  ...["accounts", "users", "courses", "plannedCourses", "enrollments", "orders", "invoices", "leads", "teachers"],
  ...["labels", "programs", "customObjects", "organizations", "departments", "organization.contacts"],
];

const PAGE_SIZE = 100;
/** So many records a list must have for its pages to be judged. */
const ENOUGH = 5;
const MOST_SINGLES = 4;
/** Fits into 32 bits, and no school has so many records. */
const NO_ID = 2_000_000_000;

/** Reads what the checks judge. */
export async function gather(
  reader: Reader,
  facts: Pick<Evidence, "baseUrl" | "api" | "requestLimit">,
): Promise<Evidence> {
  const samples: Reading[] = [];
  for (const name of SAMPLES) {
    if (reader.resource(name)) samples.push(await reader.list(name, { per_page: PAGE_SIZE }));
    // Where nothing answers the first request, nothing will answer the others.
    if (reader.firstError && samples[0]?.status === null) throw reader.firstError;
  }
  if (reader.firstError && samples.every(({ failure }) => failure !== null)) throw reader.firstError;
  const pages = await gatherPages(reader, samples);
  const singles = await gatherSingles(reader, samples);
  const readable = samples.find(({ resource }) => reader.resource(resource)?.get);
  const absent = readable ? await reader.record(readable.resource, NO_ID) : null;
  const conditional = await gatherConditional(reader, singles);
  const email = await gatherEmails(reader, samples);
  const two = await gatherTwo(reader, samples);
  const later = pages?.next && pages.first.page ? await nextOf(reader, pages.first) : null;
  return {
    ...facts,
    ...{ samples, singles, absent, conditional, email, two },
    pages: pages && { ...pages, later },
    readings: reader.readings,
    written: null,
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
    if (singles.length >= MOST_SINGLES || !listed || !isId(listed.id) || !reader.resource(resource)?.get) continue;
    singles.push({ listed, reading: await reader.record(resource, listed.id) });
  }
  return singles;
}

async function gatherConditional(reader: Reader, singles: Evidence["singles"]): Promise<Reading | null> {
  for (const { listed, reading } of singles) {
    const tag = reading.headers.get("etag");
    if (tag) return reader.record(reading.resource, listed.id as number, { "if-none-match": tag });
  }
  return null;
}

async function gatherEmails(reader: Reader, samples: readonly Reading[]): Promise<Emails | null> {
  const users = samples.find(({ resource }) => resource === "users");
  const user = users?.records.find(({ email }) => typeof email === "string" && swapped(email) !== email);
  if (!user) return null;
  const read = (email: string) => reader.list("users", { email, per_page: PAGE_SIZE });
  const email = user.email as string;
  const exact = await read(email);
  const other = await read(swapped(email));
  return { id: user.id, exact, other, nobody: await read(`doctor-${crypto.randomUUID()}@nobody.example.com`) };
}

async function gatherTwo(reader: Reader, samples: readonly Reading[]): Promise<Evidence["two"]> {
  const sample = samples.find(({ resource, records }) => resource === "plannedCourses" && records.length > 2);
  if (!sample) return null;
  const ids = [sample.records[0]?.id, sample.records[1]?.id];
  return { ids, reading: await reader.list(sample.resource, { id: ids, per_page: PAGE_SIZE }) };
}

// Small letters become capitals and the other way round.
function swapped(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

function isId(id: unknown): id is number {
  return Number.isSafeInteger(id) && (id as number) > 0;
}
