import { expect, test } from "vitest";
import { doctor } from "../../src/doctor/index.js";
import { MainClient } from "../../src/index.js";
import { MANNERS } from "../../src/sandbox/data/manners.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { drawCases } from "../support/amount.js";

// The check that detects each manner.
const READ: Readonly<Record<string, string>> = {
  order: "ascending_ids",
  total: "total",
  links: "link_address",
  relations: "link_address",
  lastPage: "next_page",
  unknownFilters: "unknown_filters",
  unreadableFilters: "unreadable_filters",
  arrays: "array_filters",
  perPage: "page_size",
  times: "time_zone",
  clock: "clock",
  withoutKey: "without_key",
  unknownKey: "wrong_key",
  missingScope: "scopes",
  missingFlag: "feature_flags",
  errors: "error_body",
  retryAfter: "retry_after",
  optionalFields: "model_types",
  nullableFields: "model_types",
  newValues: "unknown_values",
  decimals: "amounts",
  identifiers: "identifiers",
  longNotes: "model_types",
  newFields: "unknown_fields",
};
const WRITTEN =
  "doubts custom labels written settles blanks unicode emails quotes longTexts tags unique duplicates createdStatus location refusedCreates leads deleted updatedAt";
const UNSEEN: Readonly<Record<string, string>> = {
  ...Object.fromEntries(WRITTEN.split(" ").map((name) => [name, "only writes show it"])),
  created: "it shows under load only",
  iss: "a login needs a person",
  pages: "any page may be short; the library follows its link",
  refreshTokens: "a login needs a person",
  expiresIn: "a login needs a person",
  reuse: "a login needs a person",
  oauthErrors: "a login needs a person",
  deliveries: "a delivery needs a receiver that the service can reach",
  retries: "a delivery needs a receiver that the service can reach",
  deliveryOrder: "a delivery needs a receiver that the service can reach",
  deliveryBody: "a delivery needs a receiver that the service can reach",
  lostDeliveries: "a delivery needs a receiver that the service can reach",
  cursors: "the doctor does not wait for minutes",
  cursorPlaces: "it shows only if a record is deleted meanwhile",
  window: "the doctor stays below the limit",
  refusedRequests: "the doctor stays below the limit",
  limit: "the doctor stays below the limit",
  endedKeys: "a key would have to end",
  currency: "every school has its own",
  timeZone: "every school has its own",
};

// Runs the doctor on a school with a missing scope, a disabled feature and an added record. The school responds with
// 429 once its rate limit is reached.
const mannersSeenWith = async (name: string, manners: object): Promise<Record<string, string>> => {
  const sandbox = createSandbox({
    ...{ size: 260, manners, now: "2030-06-01T12:00:00.000Z", skipWaits: true, disabledFeatures: ["Programs"] },
    data: { accounts: [{ name: "New Ltd" }] },
    rateLimit: { requests: name === "retryAfter" ? 20 : 500 },
  });
  const scopes = ["relations:*", "courses:*", "settings:*", "orders:*", "destroyable_settings:destroy"] as const;
  const client = new MainClient({
    ...sandbox,
    apiKey: sandbox.createKey({ api: "main", scopes }),
    rateLimit: false,
  });
  const { findings } = await doctor(client);
  return Object.fromEntries(findings.map(({ check, status, seen }) => [check, `${status}: ${seen}`]));
};

// Without manners, the doctor runs only once per rate limit.
const before = new Map<boolean, Promise<Record<string, string>>>();
function seenWithout(name: string): Promise<Record<string, string>> {
  const isLimited = name === "retryAfter";
  const found = before.get(isLimited) ?? mannersSeenWith(name, {});
  before.set(isLimited, found);
  return found;
}

test("a check detects each manner, or this table gives the reason why none can", () => {
  expect(Object.keys({ ...READ, ...UNSEEN }).sort()).toEqual(Object.keys(MANNERS).sort());
});

test.each(drawCases(Object.entries(READ), 4, 99))("%s is detected by %s", async (name, check) => {
  const { values = [], beyond = [] } = MANNERS[name] ?? {};
  const value = values.length > 1 ? values.at(-1) : beyond[0];
  expect((await mannersSeenWith(name, { [name]: value }))[check]).not.toBe((await seenWithout(name))[check]);
});
