import type { QueryOption } from "../core/options.js";
import { isId, type Reader, type Reading } from "./reader.js";

/** As many records as a page can hold. */
export const PAGE_SIZE = 100;
/** Fits into 32 bits, and no school has so many records. */
export const NO_ID = 2_000_000_000;

/** What filters, a missing key and the first records show. */
export interface Clues {
  /** Two users of the list at most. */
  readonly emails: readonly Emails[];
  /** A list filtered by two identifiers. */
  readonly two: ByIds | null;
  /** A list filtered by 100 identifiers, of which some may belong to nobody. */
  readonly hundred: ByIds | null;
  /** What lists give without a key. */
  readonly keyless: readonly Reading[];
  /** What a list gives with a key that nobody has; null if none could be read. */
  readonly wrongKey: Reading | null;
  /** What is asked for in ways that the documents leave open; null without planned courses. */
  readonly odd: Odd | null;
  /** Eight characters that stand for the first records of the school; null if none could be read. */
  readonly mark: string | null;
}

/** A list filtered by identifiers. */
export interface ByIds {
  /** Those that the list had. */
  readonly ids: readonly unknown[];
  readonly reading: Reading;
}

/** A list with a parameter that it does not have, with a day of another form, and with two identifiers under a name with brackets. */
export interface Odd {
  readonly unknown: Reading;
  readonly unreadable: Reading;
  readonly brackets: Reading;
}

/** A user by their e-mail address, by the same in other letters, and by an address that nobody has. */
export interface Emails {
  readonly id: unknown;
  readonly exact: Reading;
  readonly other: Reading;
  readonly nobody: Reading;
}

/** Lists that may be open, and those that must not be. */
const KEYLESS = ["courses", "plannedCourses", "users", "invoices"];
const MARKED = ["accounts", "users", "courses"];

/** Asks for a user by their e-mail address; for a second one where the first was not found, because one may have changed meanwhile. */
export async function readEmails(reader: Reader, samples: readonly Reading[]): Promise<Emails[]> {
  const users = samples.find(({ resource }) => resource === "users")?.records ?? [];
  const named = users.filter(({ email }) => typeof email === "string" && swapped(email) !== email);
  const all: Emails[] = [];
  for (const user of named.slice(0, 2)) {
    const read = (email: string) => reader.list("users", { email, per_page: PAGE_SIZE });
    const email = user.email as string;
    const exact = await read(email);
    const other = await read(swapped(email));
    all.push({ id: user.id, exact, other, nobody: await read(`doctor-${crypto.randomUUID()}@nobody.example.com`) });
    if (exact.records.some(({ id }) => id === user.id)) break;
  }
  return all;
}

/**
 * Asks for so many planned courses by their identifiers; in the place of those that are not there, for some that nobody has.
 * @param least how many the first page must have.
 */
export async function readByIds(
  reader: Reader,
  samples: readonly Reading[],
  count: number,
  least: number,
): Promise<ByIds | null> {
  const sample = samples.find(({ resource, records }) => resource === "plannedCourses" && records.length >= least);
  const ids = sample?.records.slice(0, count).map(({ id }) => id);
  if (!sample || !ids?.every(isId)) return null;
  const others = Array.from({ length: count - ids.length }, (_, at) => NO_ID - at);
  return { ids, reading: await reader.list(sample.resource, { id: [...ids, ...others], per_page: count }) };
}

/** Asks for planned courses in ways that the library never does. */
export async function readOdd(reader: Reader, samples: readonly Reading[]): Promise<Odd | null> {
  const sample = samples.find(({ resource, page }) => resource === "plannedCourses" && page);
  if (!sample) return null;
  const read = (query: QueryOption) => reader.byHand(sample, { per_page: 2, ...query });
  return {
    unknown: await read({ doctor: "1" }),
    unreadable: await read({ start_date_from: "the first of May" }),
    brackets: await read({ "id[]": sample.records.slice(0, 2).map(({ id }) => String(id)) }),
  };
}

/** Reads a list that the key can read with one that nobody has. */
export async function readWrongKey(
  reader: Reader,
  wrong: object,
  samples: readonly Reading[],
): Promise<Reading | null> {
  const sample = samples.find(({ page }) => page);
  return sample ? reader.listOf(wrong, sample.resource, { per_page: 2 }) : null;
}

/** Reads lists without a key, those that the key can read. */
export async function readKeyless(reader: Reader, open: object, samples: readonly Reading[]): Promise<Reading[]> {
  const keyless: Reading[] = [];
  for (const name of KEYLESS) {
    if (!samples.some(({ resource, page }) => resource === name && page)) continue;
    keyless.push(await reader.listOf(open, name, { per_page: 2 }));
  }
  return keyless;
}

/** A digest of when the first records were made: the same in every report about one school, and nothing can be read from it. */
export async function schoolMark(samples: readonly Reading[]): Promise<string | null> {
  const first = samples
    .filter(({ resource, records }) => MARKED.includes(resource) && records.length > 0)
    .map(({ resource, records: [record] }) => [resource, record?.id, record?.created_at]);
  if (first.length === 0) return null;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(first)));
  return [...new Uint8Array(digest.slice(0, 4))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Small letters become capitals and the other way round.
function swapped(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
