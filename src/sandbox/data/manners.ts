import { didYouMean } from "../../core/option-checks.js";
import { Random } from "./random.js";

/** One thing that the documents leave open: the values that they allow, and what the service might do. */
export interface Manner {
  /** What the documents say of it, and what they leave open. */
  readonly open: string;
  /** What a service may do; the first value is the sandbox's own. */
  readonly values: readonly string[];
  /** The value that hurts a careless client most. */
  readonly least: string;
  /** Values that contradict a document. They can be chosen; neither the least kind service nor a drawn one has them. */
  readonly beyond?: readonly string[];
}

/** The manners by their part of the service. */
export const PARTS = {
  Writes: {
    custom: {
      open: "`custom` and `properties` hold values by slug. What an update does to those that it does not send is open.",
      values: ["merged", "replaced"],
      least: "replaced",
    },
    labels: {
      open: "An update takes `label_ids`. Whether they replace those of the record is open.",
      values: ["replaced", "added"],
      least: "added",
    },
    written: {
      open: "An update returns the record, and fields marked optional are not in every rendering.",
      values: ["whole", "required fields"],
      least: "required fields",
      beyond: ["nothing"],
    },
    settles: {
      open: "When a write can be read is not said. `later`: reads show it 2 seconds after.",
      values: ["at once", "later"],
      least: "later",
    },
    doubts: {
      open:
        "Nothing forbids what is almost certainly a mistake: an invoice without items that is opened, negative units, amounts of more than two " +
        "decimals, a `max_participants` below `min_participants`, one student twice in an order, a meeting outside the days of its planned course, " +
        "a grade for a canceled enrollment, a webhook to a private address, two labels of one name and kind, an event of a webhook that nothing " +
        "is known of, a name of more than 1,000 characters, a JSON body of another `Content-Type` (400).",
      values: ["let through", "refused"],
      least: "refused",
    },
  },
  Texts: {
    blanks: {
      open: "How texts are stored is not said. `folded`: trimmed, and several blanks within become one.",
      values: ["kept", "folded"],
      least: "folded",
    },
    unicode: {
      open: "Whether texts are brought to a normal form of Unicode is not said.",
      values: ["kept", "NFC", "NFKC"],
      least: "NFKC",
    },
    emails: {
      open: "Whether e-mail addresses are stored in lower case is not said.",
      values: ["kept", "lower case"],
      least: "lower case",
    },
    quotes: {
      open: "Whether typographic quotes are stored as typed is not said.",
      values: ["kept", "straightened"],
      least: "straightened",
    },
    longTexts: {
      open: "How long a name, title or address may be is not said.",
      values: ["kept", "cut at 255"],
      least: "cut at 255",
    },
    tags: {
      open: "Whether HTML tags in texts are stored is not said.",
      values: ["kept", "stripped"],
      least: "stripped",
    },
  },
  Creates: {
    unique: {
      open: "Two users cannot have one e-mail address. Whether case counts is not said.",
      values: ["regardless of case", "by letters", "nothing"],
      least: "nothing",
    },
    duplicates: {
      open: "What the creation of a user with a taken address is answered with is not said.",
      values: ["422", "409", "the older record"],
      least: "the older record",
    },
    created: {
      open: "A creation returns its record. Services under load have answered with the record of a simultaneous one.",
      values: ["its record", "the newest record"],
      least: "the newest record",
    },
    createdStatus: { open: "Public documents show 201; any 2xx means success.", values: ["201", "200"], least: "200" },
    location: {
      open: "Whether a creation names its record by `Location` is not said.",
      values: ["absent", "sent"],
      least: "sent",
    },
    refusedCreates: {
      open: "Creating a lead, an order or a user may answer 200 with the error body (public documents).",
      values: ["422", "200"],
      least: "200",
    },
  },
  Deletes: {
    deleted: {
      open: "Whether a deleted record is gone is not said. `for a while`: it can be read by its identifier for a minute. `archived`: it stays with the status that its kind has for that.",
      values: ["gone", "for a while", "archived"],
      least: "archived",
    },
  },
  Lists: {
    order: {
      open: "The order of a list without `sort` is not said.",
      values: ["by id", "newest first", "by name", "by updated_at"],
      least: "by updated_at",
    },
    moving: {
      open: "Whether a record whose sort key changes between two pages is returned twice or skipped is not said.",
      values: ["keeps its place", "moves"],
      least: "moves",
    },
    total: {
      open: "A list has a header `Total` (public documents), which may be missing.",
      values: ["sent", "with page numbers", "absent"],
      least: "absent",
      beyond: ["off by two"],
    },
    links: {
      open: "`Link` has addresses. Whether they are absolute is not said.",
      values: ["absolute", "relative"],
      least: "relative",
    },
    relations: {
      open: "`Link` has rel prev and next. RFC 8288 allows them without quotes and among others.",
      values: ["quoted", "bare among others"],
      least: "bare among others",
    },
    lastPage: {
      open: "Whether a page that is full and the last one has a next page is not said.",
      values: ["has no next", "has an empty next"],
      least: "has an empty next",
    },
    unknownFilters: {
      open: "What a parameter that an operation does not have leads to is not said.",
      values: ["refused", "ignored"],
      least: "ignored",
    },
    unreadableFilters: {
      open: "What a filter with a value that cannot be read leads to, such as another form of date, is not said.",
      values: ["refused", "ignored"],
      least: "ignored",
    },
    arrays: {
      open: "Public documents repeat the name of a filter with several values; frameworks read brackets as well.",
      values: ["any form", "repeated"],
      least: "repeated",
      beyond: ["with brackets"],
    },
    perPage: { open: "`per_page` is at most 100.", values: ["as asked"], least: "as asked", beyond: ["at most 50"] },
  },
  Time: {
    updatedAt: {
      open: "What moves `updated_at` is not said. `own fields`: labels and custom fields do not.",
      values: ["every change", "own fields"],
      least: "own fields",
    },
    times: {
      open: "A time is a text with date, time and offset; its form is not said.",
      values: ["milliseconds", "whole seconds", "an offset"],
      least: "an offset",
    },
    clock: {
      open: "The service has a clock of its own.",
      values: ["as the client's", "4 minutes ahead", "4 minutes behind"],
      least: "4 minutes behind",
    },
  },
  Refusals: {
    withoutKey: {
      open: "What a request without a key is answered with is not said.",
      values: ["403", "401", "404"],
      least: "404",
    },
    unknownKey: {
      open: "What an unknown or revoked key is answered with is not said.",
      values: ["403", "401", "404"],
      least: "404",
    },
    missingScope: { open: "A missing scope is 403 or 404.", values: ["403", "404"], least: "404" },
    missingFlag: {
      open: "What an operation is answered with whose feature flag is off is not said.",
      values: ["403", "404"],
      least: "404",
    },
    errors: {
      open: "An error has `errors`, `code` and `message` (public documents). Of what `errors` is made is open; a proxy in front may answer HTML.",
      values: ["by field", "an empty list"],
      least: "an empty list",
      beyond: ["no body", "HTML"],
    },
    retryAfter: {
      open: "A 429 has `Retry-After` in seconds.",
      values: ["seconds"],
      least: "seconds",
      beyond: ["a date", "0", "absent"],
    },
  },
  OAuth: {
    iss: {
      open: "Nothing public says that the address to which a browser is sent back names the school (`iss`, RFC 9207).",
      values: ["absent", "sent"],
      least: "absent",
    },
    expiresIn: { open: "`expires_in` is recommended (RFC 6749, 5.1).", values: ["sent", "absent"], least: "absent" },
    reuse: {
      open: "What a refresh token that was used before leads to is not said.",
      values: ["refused", "revokes all"],
      least: "revokes all",
    },
    oauthErrors: {
      open: "Errors are JSON (RFC 6749, 5.2); a proxy in front may answer HTML.",
      values: ["JSON", "HTML"],
      least: "HTML",
    },
  },
  Webhooks: {
    deliveries: { open: "Whether a delivery can come twice is not said.", values: ["once", "twice"], least: "twice" },
    deliveryOrder: {
      open: "In which order deliveries come is not said. `swapped`: every second one comes after the one that follows it.",
      values: ["of the changes", "swapped"],
      least: "swapped",
    },
    deliveryBody: {
      open: "Two bodies are known (public documents): one with `event_data`, and an older one with `notification`.",
      values: ["event_data", "notification"],
      least: "event_data",
    },
  },
  Records: {
    optionalFields: {
      open: "A field marked optional is not in every rendering.",
      values: ["there", "absent"],
      least: "absent",
    },
    nullableFields: {
      open: "A nullable field may be null. `null`: it is in every seeded record.",
      values: ["some null", "null"],
      least: "null",
    },
    newValues: {
      open: "An enumeration that is not known to be complete may get values. `some`: one of fifty seeded records has one.",
      values: ["none", "some"],
      least: "some",
    },
    decimals: {
      open: "An amount is a decimal as text; its number of places is not said.",
      values: ["two places", "one place", "four places"],
      least: "four places",
    },
    identifiers: {
      open: "How large identifiers are is not said. `large`: new ones begin at 9,000,000,000,000.",
      values: ["in turn", "large"],
      least: "large",
    },
    longNotes: {
      open: "How long free texts are is not said. `some`: those of one of fifty seeded records have 10,000 letters of several scripts.",
      values: ["none", "some"],
      least: "some",
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Manner>>>>;

type Part = (typeof PARTS)[keyof typeof PARTS];
type Rows = { readonly [Name in PartNames<Part>]: Extract<Part, Readonly<Record<Name, unknown>>>[Name] };
type PartNames<Each> = Each extends unknown ? keyof Each : never;
type ValueOf<Row> = Row extends { readonly values: readonly (infer Value)[] }
  ? Value | (Row extends { readonly beyond: readonly (infer Beyond)[] } ? Beyond : never)
  : never;

/** How a sandbox behaves where the documents leave something open: a value for every manner. */
export type SandboxManners = { readonly [Name in keyof Rows]: ValueOf<Rows[Name]> };

/**
 * Manners that differ from the sandbox's own, which docs/sandbox-assumptions.md lists with their values; `seed` draws all others at random
 * from what the documents allow.
 */
export type SandboxMannerOptions = { readonly [Name in keyof SandboxManners]?: SandboxManners[Name] | undefined } & {
  readonly seed?: number | undefined;
};

/** Every manner by its name. */
export const MANNERS: Readonly<Record<string, Manner>> = /* @__PURE__ */ Object.assign({}, ...Object.values(PARTS));

/**
 * A value for every manner. @internal
 * @throws RangeError naming a manner or a value that does not exist.
 */
export function mannersOf(chosen: "least kind" | SandboxMannerOptions = {}): SandboxManners {
  const { seed, ...named } = chosen === "least kind" ? {} : checked(chosen);
  const random = seed === undefined ? null : new Random(seed);
  const values = Object.entries(MANNERS).map(([name, { values: allowed, least }]) => {
    const drawn = random?.pick(allowed);
    const own = chosen === "least kind" ? least : (drawn ?? allowed[0]);
    return [name, (named as Readonly<Record<string, string | undefined>>)[name] ?? own];
  });
  return Object.freeze(Object.fromEntries(values)) as SandboxManners;
}

function checked(chosen: SandboxMannerOptions): SandboxMannerOptions {
  const fail = (problem: string) => new RangeError(`createSandbox: the option manners${problem}`);
  if (typeof chosen !== "object" || chosen === null) throw fail(' must be "least kind" or an object of manners');
  for (const [name, value] of Object.entries(chosen)) {
    if (value === undefined) continue;
    if (name === "seed") {
      if (!Number.isSafeInteger(value)) throw fail(".seed must be a whole number");
      continue;
    }
    const manner = Object.hasOwn(MANNERS, name) ? MANNERS[name] : undefined;
    if (!manner) throw fail(`.${name} is no manner${didYouMean(name, Object.keys(MANNERS))}`);
    const allowed = [...manner.values, ...(manner.beyond ?? [])];
    if (!allowed.includes(String(value))) throw fail(`.${name} must be one of ${allowed.join(", ")}`);
  }
  return chosen;
}

/** The manners that are not the sandbox's own. */
export function unusual(manners: SandboxManners): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(manners).filter(([name, value]) => value !== MANNERS[name]?.values[0]));
}
