import { expect, test } from "vitest";
import { doctor } from "../../src/doctor/index.js";
import { MainClient } from "../../src/index.js";
import { MANNERS } from "../../src/sandbox/data/manners.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { drawn } from "../support/amount.js";

// Which check tells of each manner, by reads or, where it says so in the second list, by what `write` adds to them.
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
};
const WRITTEN: Readonly<Record<string, string>> = {
  custom: "custom_is_merged",
  labels: "labels_are_replaced",
  written: "write_responses",
  settles: "list_delay",
  blanks: "stored_as_sent",
  unicode: "stored_as_sent",
  emails: "stored_as_sent",
  quotes: "stored_as_sent",
  longTexts: "stored_as_sent",
  tags: "stored_as_sent",
  unique: "one_user_per_email",
  duplicates: "one_user_per_email",
  createdStatus: "write_responses",
  location: "write_responses",
  refusedCreates: "one_user_per_email",
  deleted: "removed_is_gone",
  updatedAt: "updated_at_moves",
};
const UNSEEN: Readonly<Record<string, string>> = {
  doubts: "the doctor writes nothing doubtful",
  created: "it shows under load only",
  iss: "a login needs a person",
  expiresIn: "a login needs a person",
  reuse: "a login needs a person",
  oauthErrors: "a login needs a person",
  deliveries: "a delivery needs a receiver that the service can reach",
  deliveryOrder: "a delivery needs a receiver that the service can reach",
  deliveryBody: "a delivery needs a receiver that the service can reach",
};

// A school in which a scope is missing and a flag is off, with a record that was added; after its limit it answers 429.
const seen = async (name: string, manners: object): Promise<Record<string, string>> => {
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
  const options = name in WRITTEN ? { write: { confirm: sandbox.baseUrl } } : {};
  const { findings } = await doctor(client, options);
  return Object.fromEntries(findings.map(({ check, status, seen }) => [check, `${status}: ${seen}`]));
};

// Those without the manner are seen once for each way to look.
const before = new Map<string, Promise<Record<string, string>>>();
function seenWithout(name: string): Promise<Record<string, string>> {
  const way = `${name in WRITTEN} ${name === "retryAfter"}`;
  const found = before.get(way) ?? seen(name, {});
  before.set(way, found);
  return found;
}

test("a check tells of each manner, or this says why none can", () => {
  expect(Object.keys({ ...READ, ...WRITTEN, ...UNSEEN }).sort()).toEqual(Object.keys(MANNERS).sort());
});

// Of deletes only what is readable for a while: a task has no status for what is archived.
const VALUES: Readonly<Record<string, string>> = { deleted: "for a while" };

test.each(drawn(Object.entries({ ...READ, ...WRITTEN }), 4, 99))("%s is told by %s", async (name, check) => {
  const { values = [], beyond = [] } = MANNERS[name] ?? {};
  const value = VALUES[name] ?? (values.length > 1 ? values.at(-1) : beyond[0]);
  expect((await seen(name, { [name]: value }))[check]).not.toBe((await seenWithout(name))[check]);
});
