import { didYouMean } from "../../core/option-checks.js";
import { Random } from "./random.js";

/**
 * The manners by part of the service. The first value is the sandbox's default, the last one hurts a careless client
 * most.
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
  },
  Deletes: {
    deleted: ["gone", "for a while", "archived"],
  },
  Lists: {
    order: ["by id", "newest first", "by name", "by updated_at"],
    total: ["sent", "with page numbers", "absent"],
    links: ["absolute", "relative"],
    relations: ["quoted", "bare among others"],
    lastPage: ["has no next", "has an empty next"],
    unknownFilters: ["refused", "ignored"],
    unreadableFilters: ["refused", "ignored"],
    arrays: ["any form", "repeated"],
    perPage: ["as asked"],
  },
  Time: {
    updatedAt: ["every change", "own fields"],
    times: ["milliseconds", "whole seconds", "an offset"],
    clock: ["as the client's", "4 minutes ahead", "4 minutes behind"],
  },
  Refusals: {
    withoutKey: ["403", "401", "404"],
    unknownKey: ["403", "401", "404"],
    missingScope: ["403", "404"],
    missingFlag: ["403", "404"],
    errors: ["by field", "an empty list"],
    retryAfter: ["seconds"],
  },
  OAuth: {
    iss: ["absent", "sent"],
    expiresIn: ["sent", "absent"],
    reuse: ["refused", "revokes all"],
    oauthErrors: ["JSON", "HTML"],
  },
  Webhooks: {
    deliveries: ["once", "twice"],
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
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

// Values that contradict a document.
const BEYOND = {
  written: ["nothing"],
  total: ["off by two"],
  arrays: ["with brackets"],
  perPage: ["at most 50"],
  errors: ["no body", "HTML"],
  retryAfter: ["a date", "0", "absent"],
} as const;

// Manners whose default is also the value that hurts most.
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

// Per manner: what the documents state, and what they leave open.
const OPEN: Readonly<Record<keyof Rows, string>> = {
  custom: "`custom` and `properties` hold values by slug. What an update does to those that it does not send is open.",
  labels: "An update takes `label_ids`. Whether they replace those of the record is open.",
  written: "An update returns the record, and fields marked optional are not in every rendering.",
  settles: "When a write can be read is not said. `later`: reads show it 2 seconds after.",
  doubts:
    "Nothing forbids what is almost certainly a mistake: an invoice without items that is opened, negative units, amounts of more than two decimals, a `max_participants` below `min_participants`, one student twice in an order, a meeting outside the days of its planned course, a grade for a canceled enrollment, a webhook to a private address, two labels of one name and kind, an event of a webhook that nothing is known of, a name of more than 1,000 characters, a JSON body of another `Content-Type` (400).",
  blanks: "How texts are stored is not said. `folded`: trimmed, and several blanks within become one.",
  unicode: "Whether texts are brought to a normal form of Unicode is not said.",
  emails: "Whether e-mail addresses are stored in lower case is not said.",
  quotes: "Whether typographic quotes are stored as typed is not said.",
  longTexts: "How long a name, title or address may be is not said.",
  tags: "Whether HTML tags in texts are stored is not said.",
  unique: "Two users cannot have one e-mail address. Whether case counts is not said.",
  duplicates: "What the creation of a user with a taken address is answered with is not said.",
  created: "A creation returns its record. Services under load have answered with the record of a simultaneous one.",
  createdStatus: "Public documents show 201; any 2xx means success.",
  location: "Whether a creation names its record by `Location` is not said.",
  refusedCreates: "Creating a lead, an order or a user may answer 200 with the error body (public documents).",
  deleted:
    "Whether a deleted record is gone is not said. `for a while`: it can be read by its identifier for a minute. `archived`: it stays with the status that its kind has for that.",
  order: "The order of a list without `sort` is not said.",
  total: "A list has a header `Total` (public documents), which may be missing.",
  links: "`Link` has addresses. Whether they are absolute is not said.",
  relations: "`Link` has rel prev and next. RFC 8288 allows them without quotes and among others.",
  lastPage: "Whether a page that is full and the last one has a next page is not said.",
  unknownFilters: "What a parameter that an operation does not have leads to is not said.",
  unreadableFilters:
    "What a filter with a value that cannot be read leads to, such as another form of date, is not said.",
  arrays: "Public documents repeat the name of a filter with several values; frameworks read brackets as well.",
  perPage: "`per_page` is at most 100.",
  updatedAt: "What moves `updated_at` is not said. `own fields`: labels and custom fields do not.",
  times: "A time is a text with date, time and offset; its form is not said.",
  clock: "The service has a clock of its own.",
  withoutKey: "What a request without a key is answered with is not said.",
  unknownKey: "What an unknown or revoked key is answered with is not said.",
  missingScope: "A missing scope is 403 or 404.",
  missingFlag: "What an operation is answered with whose feature flag is off is not said.",
  errors:
    "An error has `errors`, `code` and `message` (public documents). Of what `errors` is made is open; a proxy in front may answer HTML.",
  retryAfter: "A 429 has `Retry-After` in seconds.",
  iss: "Nothing public says that the address to which a browser is sent back names the school (`iss`, RFC 9207).",
  expiresIn: "`expires_in` is recommended (RFC 6749, 5.1).",
  reuse: "What a refresh token that was used before leads to is not said.",
  oauthErrors: "Errors are JSON (RFC 6749, 5.2); a proxy in front may answer HTML.",
  deliveries: "Whether a delivery can come twice is not said.",
  deliveryOrder:
    "In which order deliveries come is not said. `swapped`: every second one comes after the one that follows it.",
  deliveryBody: "Two bodies are known (public documents): one with `event_data`, and an older one with `notification`.",
  optionalFields: "A field marked optional is not in every rendering.",
  nullableFields: "A nullable field may be null. `null`: it is in every seeded record.",
  newValues:
    "An enumeration that is not known to be complete may get values. `some`: one of fifty seeded records has one.",
  decimals: "An amount is a decimal as text; its number of places is not said.",
  identifiers: "How large identifiers are is not said. `large`: new ones begin at 9,000,000,000,000.",
  longNotes:
    "How long free texts are is not said. `some`: those of one of fifty seeded records have 10,000 letters of several scripts.",
};

/**
 * Manners that differ from the sandbox's defaults; docs/sandbox-assumptions.md lists all values. `seed` draws the other
 * manners at random from the values that the documents allow.
 */
export type SandboxMannerOptions = { readonly [Name in keyof SandboxManners]?: SandboxManners[Name] | undefined } & {
  readonly seed?: number | undefined;
};

/** A behaviour that the documents leave open. */
export interface Manner {
  readonly open: string;
  /** The possible behaviours; the first is the sandbox's default. */
  readonly values: readonly string[];
  /** The behaviour that hurts a careless client most. */
  readonly least: string;
  /**
   * Behaviours that contradict a document. They can be chosen, but neither `"least kind"` nor a `seed` selects them.
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
