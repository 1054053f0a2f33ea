import type { SandboxManners } from "../../src/sandbox/index.ts";

/** The point that the documents leave open, by manner, for docs/sandbox-assumptions.md. */
export const OPEN: Readonly<Record<keyof SandboxManners, string>> = {
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
