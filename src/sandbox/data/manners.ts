import { didYouMean } from "../../core/option-checks.js";
import { Random } from "./random.js";

/**
 * The manners: behavior that the service's documents leave open, by part of the service. The first value of a manner
 * is the sandbox's default; the last is the hardest for a careless client.
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
  // Add new manners at the end, so that a `seed` still draws the same values for existing manners.
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

// Values of manners that contradict the service's documents.
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

// Manners whose default is also their hardest value for a careless client.
const LEAST = { iss: "absent", deliveryBody: "event_data" } as const;

type Part = (typeof PARTS)[keyof typeof PARTS];
type PartNames<Each> = Each extends unknown ? keyof Each : never;
type Rows = { readonly [Name in PartNames<Part>]: Extract<Part, Readonly<Record<Name, unknown>>>[Name] };
type ValuesOf<Row> = Row extends readonly (infer Value)[] ? Value : never;

/** How the sandbox behaves where the service's documents leave it open: a value for every manner. */
export type SandboxManners = {
  readonly [Name in keyof Rows]:
    | ValuesOf<Rows[Name]>
    | (Name extends keyof typeof BEYOND ? ValuesOf<(typeof BEYOND)[Name]> : never);
};

/**
 * Manners that differ from the sandbox's defaults; docs/sandbox-assumptions.md lists all values. `seed` chooses the
 * other manners at random from the values that the documents allow.
 */
export type SandboxMannerOptions = { readonly [Name in keyof SandboxManners]?: SandboxManners[Name] | undefined } & {
  readonly seed?: number | undefined;
};

export interface Manner {
  readonly values: readonly string[];
  readonly least: string;
  /** Neither `"least kind"` nor a `seed` selects these values. */
  readonly beyond: readonly string[];
}

export const MANNERS: Readonly<Record<string, Manner>> = /* @__PURE__ */ Object.fromEntries(
  /* @__PURE__ */ Object.values(PARTS).flatMap((part: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(part).map(([name, values]) => [
      name,
      {
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
