// The ways in which the odd services of these tests differ from the sandbox: those listed in issue 36, and
// combinations.

/** The differences between an odd service and a plain one. All of them can be sent to another process as JSON. */
export interface Kind {
  readonly name: string;
  /** The order of lists. Default: ascending identifiers. */
  readonly order?: "name" | "name, by chance as identifiers" | "newest" | "random";
  /** The created records that no list ever shows, although each can be read by its identifier. */
  readonly hidden?: "some" | "all" | "status";
  /** The delay of the lists: the same for all records, or a separate delay below this limit for each record. */
  readonly behind?: { readonly ms: number; readonly per: "list" | "record" };
  /** How the service rewrites the key of a new record. */
  readonly stores?: Rewrite;
  /**
   * The service carries out every second create again after this many milliseconds, like a proxy that repeats requests.
   */
  readonly copiesAfterMs?: number;
  /** The delay before the service carries out a request whose response is lost, if it does at all. Default: 0. */
  readonly commitsAfterMs?: number;
  /** If a request is to fail, the service refuses it with status 200. */
  readonly refusesWith200?: true;
  /**
   * If a request is to fail, the service responds with success and an empty record, whether or not it carries the
   * request out.
   */
  readonly saysNothing?: true;
  /** The service stores the values of updates in capital letters. */
  readonly capitals?: true;
}

export type Rewrite = keyof typeof REWRITES;

/** The ways in which services rewrite what they store. */
export const REWRITES = {
  "lower case": (text: string) => text.toLowerCase(),
  trimmed: (text: string) => text.trim().replace(/\s+/g, " "),
  "cut at 30": (text: string) => [...text].slice(0, 30).join(""),
  escaped: (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"),
  "without tags": (text: string) => text.replace(/<[^>]*>/g, ""),
  "without emoji": (text: string) => text.replace(/\p{Extended_Pictographic}/gu, ""),
  transliterated: (text: string) =>
    text.replace(/Ø/g, "O").replace(/æ/g, "ae").normalize("NFKD").replace(/\p{M}/gu, ""),
  prefixed: (text: string) => `Web: ${text}`,
} as const;

const lateLists = (seconds: number, per: "list" | "record"): Kind => ({
  name: `lists ${seconds} s behind, per ${per}`,
  behind: { ms: seconds * 1_000, per },
});

/** Services that differ from the sandbox in at most one way. */
const SINGLE: readonly Kind[] = [
  { name: "as described" },
  { name: "order by name", order: "name" },
  { name: "order by name, at first as identifiers", order: "name, by chance as identifiers" },
  { name: "newest first", order: "newest" },
  { name: "random order", order: "random" },
  { name: "hides a status", hidden: "status" },
  { name: "hides some records", hidden: "some" },
  { name: "hides every new record", hidden: "all" },
  ...[5, 30, 120].map((seconds) => lateLists(seconds, "list")),
  ...[5, 30, 120].map((seconds) => lateLists(seconds, "record")),
  ...(Object.keys(REWRITES) as Rewrite[]).map((stores): Kind => ({ name: `keys ${stores}`, stores })),
  { name: "copies at once", copiesAfterMs: 0 },
  { name: "copies after 3 s", copiesAfterMs: 3_000 },
  { name: "copies after 90 s", copiesAfterMs: 90_000 },
  { name: "commits after 2.5 s", commitsAfterMs: 2_500 },
  { name: "commits after 6.5 s", commitsAfterMs: 6_500 },
  { name: "refuses with status 200", refusesWith200: true },
  { name: "updates in capitals", capitals: true },
];

/** Services that differ in several ways, and services that answer with an empty record. */
const COMBINED: readonly Kind[] = [
  { name: "by name, keys cut", order: "name, by chance as identifiers", stores: "cut at 30" },
  { name: "newest first, 30 s behind", order: "newest", behind: { ms: 30_000, per: "list" } },
  { name: "by name, hides a status", order: "name, by chance as identifiers", hidden: "status" },
  { name: "5 s behind, copies at once", behind: { ms: 5_000, per: "record" }, copiesAfterMs: 0 },
  { name: "keys escaped, commits after 6.5 s", stores: "escaped", commitsAfterMs: 6_500 },
  { name: "random order, lower case, copies at once", order: "random", stores: "lower case", copiesAfterMs: 0 },
  { name: "keys cut, 120 s behind", stores: "cut at 30", behind: { ms: 120_000, per: "list" } },
  {
    name: "by name, transliterated, commits after 2.5 s",
    order: "name",
    stores: "transliterated",
    commitsAfterMs: 2_500,
  },
  { name: "newest first, hides some, without tags", order: "newest", hidden: "some", stores: "without tags" },
  { name: "answers with success and no record", saysNothing: true },
  {
    name: "answers with success and no record, 5 s behind",
    saysNothing: true,
    behind: { ms: 5_000, per: "record" },
  },
  { name: "answers with success and no record, commits after 2.5 s", saysNothing: true, commitsAfterMs: 2_500 },
];

export const KINDS: readonly Kind[] = [...SINGLE, ...COMBINED];
