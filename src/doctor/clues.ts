import type { AdminClient } from "../clients/admin.js";
import type { MainClient } from "../clients/main.js";
import type { Observers } from "../core/events.js";
import { withSettings } from "../core/inside-client.js";
import type { QueryOption } from "../core/options.js";
import { isId, type Reader, type Reading } from "./reader.js";

export const PAGE_SIZE = 100;
/** An identifier that belongs to no record; it fits into 32 bits. */
export const NO_ID = 2_000_000_000;

/** Evidence from filters, from requests without a valid key, and from the first records of lists. */
export interface Clues {
  /** Up to two users from the list, and the results of searching for them. */
  readonly emails: readonly Emails[];
  readonly two: ByIds | null;
  /** A list filtered by 100 identifiers, some of which may belong to no record. */
  readonly hundred: ByIds | null;
  readonly keyless: readonly Reading[];
  /** A list read with an invalid key; null if no list could be read. */
  readonly wrongKey: Reading | null;
  /** Requests in forms that the documentation leaves open; null if there are no planned courses. */
  readonly odd: Odd | null;
  /** Eight characters that identify the school by its first records; null if none could be read. */
  readonly mark: string | null;
}

export interface ByIds {
  /** The requested identifiers that belong to records. */
  readonly ids: readonly unknown[];
  readonly reading: Reading;
}

/**
 * Requests for a list with an unknown parameter, with a day in another format, and with two identifiers under a name
 * that ends in brackets.
 */
export interface Odd {
  readonly unknown: Reading;
  readonly unreadable: Reading;
  readonly brackets: Reading;
}

/** Searches for a user by their e-mail address, by the same address in swapped case, and by an unknown address. */
export interface Emails {
  readonly id: unknown;
  readonly exact: Reading;
  readonly other: Reading;
  readonly nobody: Reading;
}

/** Two lists that may be public, and two that must not be. */
const KEYLESS = ["courses", "plannedCourses", "users", "invoices"];
const NO_KEY = "doctor-asks-what-a-wrong-key-is-answered";
const MARKED = ["accounts", "users", "courses"];

/**
 * Searches for a user by their e-mail address. If it finds nobody, perhaps because the address has just changed,
 * searches for a second user.
 */
export async function readEmails(reader: Reader, samples: readonly Reading[]): Promise<Emails[]> {
  const users = samples.find(({ resource }) => resource === "users")?.records ?? [];
  const named = users.filter(({ email }) => typeof email === "string" && swapCase(email) !== email);
  const all: Emails[] = [];
  for (const user of named.slice(0, 2)) {
    const read = (email: string) => reader.list("users", { email, per_page: PAGE_SIZE });
    const email = user.email as string;
    const exact = await read(email);
    const other = await read(swapCase(email));
    all.push({ id: user.id, exact, other, nobody: await read(`doctor-${crypto.randomUUID()}@nobody.example.com`) });
    if (exact.records.some(({ id }) => id === user.id)) break;
  }
  return all;
}

/**
 * Requests `count` planned courses by their identifiers, with unknown identifiers added if the first page has fewer.
 * @param least minimum number of records on the first page; below it, nothing is requested.
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

/** Repeats reads that the client's key allows: the first list with an invalid key, and others without a key. */
export async function readAsOthers(
  reader: Reader,
  client: MainClient | AdminClient,
  observers: Observers,
  samples: readonly Reading[],
): Promise<Pick<Clues, "keyless" | "wrongKey">> {
  // Without the client's headers, which might contain a key.
  const withKey = (apiKey: string | null) =>
    withSettings(client, { apiKey, headers: {}, validation: "report", readOnly: true, on: observers });
  const open = withKey(null);
  const readable = samples.flatMap(({ resource, page }) => (page ? resource : []));
  const [first] = readable;
  const keyless: Reading[] = [];
  for (const name of KEYLESS)
    if (readable.includes(name)) keyless.push(await reader.listOf(open, name, { per_page: 2 }));
  const wrongKey = first === undefined ? null : await reader.listOf(withKey(NO_KEY), first, { per_page: 2 });
  return { keyless, wrongKey };
}

/** A digest of the creation times of the first records: the same in every report about a school, and irreversible. */
export async function schoolMark(samples: readonly Reading[]): Promise<string | null> {
  const first = samples
    .filter(({ resource, records }) => MARKED.includes(resource) && records.length > 0)
    .map(({ resource, records: [record] }) => [resource, record?.id, record?.created_at]);
  if (first.length === 0) return null;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(first)));
  return [...new Uint8Array(digest.slice(0, 4))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
