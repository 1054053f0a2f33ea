import { didYouMean } from "../../core/option-checks.js";
import { Random } from "./random.js";

/**
 * The manners, by part of the service. The first value is the sandbox's default; the last one is the worst for a
 * careless client.
 */
export const PARTS = {
  Writes: {
    custom: ["merged", "replaced"],
    labels: ["replaced", "added"],
    written: ["whole", "required fields"],
    settles: ["at once", "later"],
    doubts: ["let through", "refused"],
  },
  Texts: {
    blanks: ["kept", "folded"],
    unicode: ["kept", "NFC", "NFKC"],
    emails: ["kept", "lower case"],
    quotes: ["kept", "straightened"],
    longTexts: ["kept", "cut at 255"],
    tags: ["kept", "stripped"],
  },
  Creates: {
    unique: ["regardless of case", "by letters", "nothing"],
    duplicates: ["422", "409", "the older record"],
    created: ["its record", "the newest record"],
    createdStatus: ["201", "200"],
    location: ["absent", "sent"],
    refusedCreates: ["422", "200"],
    leads: ["whole"],
  },
  Deletes: {
    deleted: ["gone", "for a while", "archived"],
  },
  Lists: {
    order: ["by id", "newest first", "by name", "by updated_at"],
    total: ["sent", "with page numbers", "absent"],
    links: ["absolute", "relative"],
    relations: ["quoted", "bare among others"],
    pages: ["full", "some short or empty"],
    lastPage: ["has no next", "has an empty next"],
    unknownFilters: ["refused"],
    unreadableFilters: ["refused", "ignored"],
    arrays: ["any form", "repeated"],
    perPage: ["as asked"],
  },
  Time: {
    updatedAt: ["every change", "own fields"],
    times: ["milliseconds", "an offset"],
    clock: ["as the client's", "4 minutes ahead", "4 minutes behind"],
  },
  Refusals: {
    withoutKey: ["403", "404"],
    unknownKey: ["403", "401", "404"],
    missingScope: ["403", "404"],
    missingFlag: ["403", "404"],
    errors: ["by field", "an empty list"],
    retryAfter: ["seconds"],
  },
  OAuth: {
    iss: ["absent", "sent"],
    expiresIn: ["sent", "absent"],
    refreshTokens: ["with each access token", "once"],
    reuse: ["refused", "revokes all"],
    oauthErrors: ["JSON", "HTML"],
  },
  Webhooks: {
    deliveries: ["once", "twice"],
    retries: ["some", "none"],
    deliveryOrder: ["of the changes", "swapped"],
    deliveryBody: ["event_data", "notification"],
  },
  Records: {
    optionalFields: ["there", "absent"],
    nullableFields: ["some null", "null"],
    newValues: ["none", "some"],
    decimals: ["two places", "one place", "four places"],
    identifiers: ["in turn", "large"],
    longNotes: ["none", "some"],
  },
  // Drawn services stay the same only if new manners are the last ones.
  Others: {
    cursors: ["stay valid", "end after 5 minutes"],
    cursorPlaces: ["after a record", "counted"],
    window: ["sliding", "fixed"],
    refusedRequests: ["not counted", "counted"],
    limit: ["as documented"],
    endedKeys: ["401", "403", "404"],
    lostDeliveries: ["none", "some"],
    newFields: ["none", "some"],
    currency: ["EUR", "GBP"],
    timeZone: ["Europe/Amsterdam", "America/New_York"],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

// Values that contradict a document.
const BEYOND = {
  unknownFilters: ["ignored"],
  times: ["whole seconds"],
  withoutKey: ["401"],
  written: ["nothing"],
  total: ["off by two"],
  arrays: ["with brackets"],
  leads: ["as in public examples"],
  perPage: ["at most 50"],
  errors: ["no body", "HTML"],
  retryAfter: ["a date", "0", "absent"],
  limit: ["half at first"],
} as const;

// Manners whose default is also their worst value for a careless client.
const LEAST = { iss: "absent", deliveryBody: "event_data" } as const;

type Part = (typeof PARTS)[keyof typeof PARTS];
type PartNames<Each> = Each extends unknown ? keyof Each : never;
type Rows = { readonly [Name in PartNames<Part>]: Extract<Part, Readonly<Record<Name, unknown>>>[Name] };
type ValuesOf<Row> = Row extends readonly (infer Value)[] ? Value : never;

/** The sandbox's behaviour where the documents leave something open: a value for every manner. */
export type SandboxManners = {
  readonly [Name in keyof Rows]:
    | ValuesOf<Rows[Name]>
    | (Name extends keyof typeof BEYOND ? ValuesOf<(typeof BEYOND)[Name]> : never);
};

const OPEN: Readonly<Record<keyof Rows, string>> = {
  custom:
    "`custom` and `properties` contain values by slug. Whether an update keeps the values that it does not send is not stated.",
  labels: "An update takes `label_ids`. Whether they replace the record's labels is not stated.",
  written: "An update returns the record, and not every form of the record has the fields marked optional.",
  settles: "How soon a read shows a write is not stated. `later`: 2 seconds after the write.",
  doubts:
    "Nothing forbids requests that are almost certainly mistakes: opening an invoice without items, negative units, amounts with more than two decimals, a `max_participants` below `min_participants`, the same student twice in an order, a meeting outside the days of its planned course, a grade for a canceled enrollment, a webhook to a private address, two labels with the same name and kind, a webhook for an unknown event, a name of more than 1,000 characters, a JSON body with another `Content-Type` (400).",
  blanks: "How texts are stored is not stated. `folded`: trimmed, and each run of white space becomes one space.",
  unicode: "Whether texts are converted to a Unicode normalization form is not stated.",
  emails: "Whether e-mail addresses are stored in lower case is not stated.",
  quotes: "Whether typographic quotes are stored as typed is not stated.",
  longTexts: "How long a name, title or address may be is not stated.",
  tags: "Whether HTML tags in texts are stored is not stated.",
  unique: "Two users cannot have the same e-mail address. Whether case matters is not stated.",
  duplicates: "How the service responds to the creation of a user with a taken e-mail address is not stated.",
  created:
    "A creation returns its record. Services under load have returned the record of a simultaneous creation instead.",
  createdStatus: "Public documents show 201; any 2xx means success.",
  location: "Whether the response to a creation has a `Location` header is not stated.",
  refusedCreates:
    "A refused creation of a lead, an order or a user may get a 200 with the error body (public documents).",
  leads:
    "A new lead has a `title` and a `quality`, which may be null. `as in public examples`: it may lack both, and names its products in `lead_products_attributes`.",
  deleted:
    "Whether a deleted record can still be read is not stated. `for a while`: it can be read by its identifier for a minute. `archived`: it stays, marked as archived or inactive, if its kind has such a mark.",
  order: "The order of a list without `sort` is not stated.",
  total: "A list has a `Total` header (public documents), which may be missing.",
  links: "`Link` contains URLs. Whether they are absolute is not stated.",
  relations:
    "`Link` has the relations `prev` and `next`. RFC 8288 allows them without quotes and next to other parameters.",
  pages:
    "A page has at most `per_page` records. Whether every page but the last has that many is not stated. `some short or empty`: of pages reached by a cursor, some have half as many, and some have none but a next page.",
  lastPage: "Whether the last page links to a next page if it is full is not stated.",
  unknownFilters: "How the service responds to a parameter that the operation does not have is not stated.",
  unreadableFilters:
    "How the service responds to a filter with an invalid value, such as a date in another format, is not stated.",
  arrays: "Public documents repeat the name of a filter that has several values; frameworks also accept brackets.",
  perPage: "`per_page` is at most 100.",
  updatedAt: "Which changes update `updated_at` is not stated. `own fields`: those to labels and custom fields do not.",
  times: "A time is text with a date, a time and an offset; its exact format is not stated.",
  clock: "The service has its own clock.",
  withoutKey: "How the service responds to a request without a key is not stated.",
  unknownKey: "How the service responds to an unknown or revoked key is not stated.",
  missingScope: "A missing scope leads to a 403 or a 404.",
  missingFlag: "How the service responds to an operation whose feature flag is off is not stated.",
  errors:
    "An error has `errors`, `code` and `message` (public documents). What `errors` contains is not stated; a proxy in front of the service may answer with HTML.",
  retryAfter: "A 429 has `Retry-After` in seconds.",
  iss: "No public document says that the redirect back to the application names the school (`iss`, RFC 9207).",
  expiresIn: "`expires_in` is recommended (RFC 6749, 5.1).",
  refreshTokens:
    "Whether each new access token comes with a new refresh token is not stated. `once`: only the first does (RFC 6749, 6), and its refresh token stays valid.",
  reuse: "How the service responds to a refresh token that was used before is not stated.",
  oauthErrors: "Errors are JSON (RFC 6749, 5.2); a proxy in front of the service may answer with HTML.",
  deliveries: "Whether a delivery can arrive twice is not stated.",
  retries: "Whether a delivery that failed is sent again is not stated.",
  deliveryOrder:
    "The order in which deliveries arrive is not stated. `swapped`: every second delivery arrives after the one that follows it.",
  deliveryBody: "Two bodies are known (public documents): one with `event_data`, and an older one with `notification`.",
  optionalFields: "Not every form of a record has the fields marked optional.",
  nullableFields: "A nullable field may be null. `null`: it is null in every seeded record.",
  newValues:
    "An enumeration that is not known to be complete may get new values. `some`: one in fifty seeded records has one.",
  decimals: "An amount is a decimal number as text; the number of decimal places is not stated.",
  identifiers: "How large identifiers can be is not stated. `large`: new ones start at 9,000,000,000,000.",
  longNotes:
    "How long free texts can be is not stated. `some`: in one of fifty seeded records, they have 10,000 characters in several scripts.",
  cursors: "How long a cursor is valid is not stated.",
  cursorPlaces:
    "Whether a cursor names a record or a number of records is not stated. `counted`: if an earlier record is deleted, the next page leaves one out.",
  window: "Whether the window of the rate limit slides or begins every five minutes is not stated.",
  refusedRequests: "Whether a request that got a 429 counts for the rate limit is not stated.",
  limit: "A token has 500 requests per 5 minutes. `half at first`: half as many in the first window.",
  endedKeys: "RFC 6750, 3.1 says that the response to an expired token should be a 401.",
  lostDeliveries: "Whether every event is delivered is not stated. `some`: every third one is never sent.",
  newFields: "Whether records have fields that no document names is not stated. `some`: each has one more field.",
  currency: "A school has its own currency.",
  timeZone: "A school has its own time zone, in which its days begin.",
};

/**
 * Manners that differ from the sandbox's defaults; docs/sandbox-assumptions.md lists all values. `seed` chooses the
 * other manners at random from the values that the documents allow.
 */
export type SandboxMannerOptions = { readonly [Name in keyof SandboxManners]?: SandboxManners[Name] | undefined } & {
  readonly seed?: number | undefined;
};

/** A behaviour that the documents leave open. */
export interface Manner {
  readonly open: string;
  /** The possible behaviours; the first is the sandbox's default. */
  readonly values: readonly string[];
  /** The worst behaviour for a careless client. */
  readonly least: string;
  /**
   * Behaviours that contradict a document. They can be chosen by name, but neither `"least kind"` nor a `seed` selects
   * them.
   */
  readonly beyond: readonly string[];
}

export const MANNERS: Readonly<Record<string, Manner>> = /* @__PURE__ */ Object.fromEntries(
  /* @__PURE__ */ Object.values(PARTS).flatMap((part: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(part).map(([name, values]) => [
      name,
      {
        open: OPEN[name as keyof Rows],
        values,
        least: (LEAST as Readonly<Record<string, string>>)[name] ?? (values.at(-1) as string),
        beyond: (BEYOND as Readonly<Record<string, readonly string[]>>)[name] ?? [],
      },
    ]),
  ),
);

/** Completes the chosen manners with the defaults. @internal @throws RangeError naming an unknown manner or value. */
export function mannersOf(chosen: "least kind" | SandboxMannerOptions = {}): SandboxManners {
  const { seed, ...named } = chosen === "least kind" ? {} : checkChosen(chosen);
  const random = seed === undefined ? null : new Random(seed);
  const values = Object.entries(MANNERS).map(([name, { values: allowed, least }]) => {
    const drawn = random?.pick(allowed);
    const fallback = chosen === "least kind" ? least : (drawn ?? allowed[0]);
    return [name, (named as Readonly<Record<string, string | undefined>>)[name] ?? fallback];
  });
  return Object.freeze(Object.fromEntries(values)) as SandboxManners;
}

function checkChosen(chosen: SandboxMannerOptions): SandboxMannerOptions {
  const fail = (problem: string) => new RangeError(`createSandbox: the option manners${problem}`);
  if (typeof chosen !== "object" || chosen === null) throw fail(' must be "least kind" or an object of manners');
  for (const [name, value] of Object.entries(chosen)) {
    if (value === undefined) continue;
    if (name === "seed") {
      if (!Number.isSafeInteger(value)) throw fail(".seed must be a whole number");
      continue;
    }
    const manner = Object.hasOwn(MANNERS, name) ? MANNERS[name] : undefined;
    if (!manner) throw fail(`.${name} is not a manner${didYouMean(name, Object.keys(MANNERS))}`);
    const allowed = [...manner.values, ...manner.beyond];
    if (!allowed.includes(String(value))) throw fail(`.${name} must be one of ${allowed.join(", ")}`);
  }
  return chosen;
}

/** The manners that differ from the sandbox's defaults. */
export function unusual(manners: SandboxManners): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(manners).filter(([name, value]) => value !== MANNERS[name]?.values[0]));
}
