import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/index.js";
import * as postgres from "../../src/stores/postgres/index.js";
import * as redis from "../../src/stores/redis/index.js";
import * as sqlite from "../../src/stores/sqlite/index.js";

const sqliteConnection = { exec: () => undefined, prepare: () => ({}) as never };
const postgresConnection = { query: async () => ({ rows: [] }) };
const redisConnection = { eval: async () => null };
const method = async () => ({}) as never;
const queue = { add: method, getJob: method, getJobState: method, getJobCounts: method, getJobs: method };

/** Every function that takes options, called with a connection that has everything it needs. */
const LIMITS: Record<string, (options: object) => unknown> = {
  SQLite: (options) => sqlite.rateLimitStore(sqliteConnection, options),
  Postgres: (options) => postgres.rateLimitStore(postgresConnection, options),
  Redis: (options) => redis.rateLimitStore(redisConnection, options),
};
const INBOXES: Record<string, (options: object) => unknown> = {
  SQLite: (options) => sqlite.webhookInbox(sqliteConnection, options),
  Postgres: (options) => postgres.webhookInbox(postgresConnection, options),
  Redis: (options) => redis.webhookInbox(redisConnection, { queue, ...options }),
};
const JOURNALS: Record<string, (name: string, options: object) => unknown> = {
  SQLite: (name, options) => sqlite.bulkJournal(sqliteConnection, name, options),
  Postgres: (name, options) => postgres.bulkJournal(postgresConnection, name, options),
};

/** The message of the error that a function throws. */
function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message;
  }
  return "it is taken";
}

// The prefixes become part of SQL.
const GOOD_PREFIXES = [undefined, "a", "_", "a_1", "education_admin_", "a".repeat(40)];
const BAD_PREFIXES = ["", "1a", "A", "a-b", "a b", "ä", 'a"', "a;DROP TABLE x", "a\n", "\na", "a".repeat(41), null, 7];
const PREFIX_RULE =
  "prefix must consist of at most 40 lower-case letters, digits and _, and must not begin with a digit";

const UNITS = [
  ...Object.entries(LIMITS).map(([name, open]) => [`rateLimitStore of ${name}`, "rateLimitStore", open] as const),
  ...Object.entries(INBOXES).map(([name, open]) => [`webhookInbox of ${name}`, "webhookInbox", open] as const),
  ...Object.entries(JOURNALS).map(
    ([name, open]) => [`bulkJournal of ${name}`, "bulkJournal", (options: object) => open("plan", options)] as const,
  ),
];

describe.each(UNITS)("%s", (_, what, open) => {
  it("accepts only a prefix that can name tables", () => {
    for (const prefix of GOOD_PREFIXES) expect(refusal(() => open({ prefix }))).toBe("it is taken");
    for (const prefix of BAD_PREFIXES) expect(refusal(() => open({ prefix }))).toBe(`${what}: ${PREFIX_RULE}`);
  });

  it("refuses unknown options", () => {
    expect(refusal(() => open({ prefx: "a" }))).toBe(`${what}: prefx is unknown; did you mean "prefix"?`);
    expect(refusal(() => open({ toString: "a" }))).toBe(`${what}: toString is unknown`);
    expect(refusal(() => open({ prefx: undefined }))).toBe("it is taken");
  });
});

it.each<[string, (options: never) => unknown]>([
  ["rateLimitStore of SQLite", (options) => sqlite.rateLimitStore(sqliteConnection, options)],
  ["webhookInbox of SQLite", (options) => sqlite.webhookInbox(sqliteConnection, options)],
  ["webhookInbox of Postgres", (options) => postgres.webhookInbox(postgresConnection, options)],
  ["webhookInbox of Redis", (options) => redis.webhookInbox(redisConnection, options)],
  ["bulkJournal of SQLite", (options) => sqlite.bulkJournal(sqliteConnection, "plan", options)],
])("%s accepts only an object as its options", (_, open) => {
  for (const options of [null, "a", 7])
    expect(refusal(() => open(options as never))).toMatch(/: options must be a plain object$/);
});

describe.each(Object.entries(LIMITS))("rateLimitStore of %s", (_, open) => {
  it("accepts a number of processes", () => {
    for (const processes of [undefined, 1, 8]) expect(open({ processes })).toMatchObject({ processes: processes ?? 1 });
    for (const processes of [0, -1, 1.5, Number.NaN, Infinity, "2", null]) {
      expect(refusal(() => open({ processes }))).toBe("rateLimitStore: processes must be a whole number above 0");
    }
  });

  it("accepts the name of an application", () => {
    for (const application of [undefined, "schools"]) expect(refusal(() => open({ application }))).toBe("it is taken");
    for (const application of ["", 7, null]) {
      expect(refusal(() => open({ application }))).toBe("rateLimitStore: application must be text");
    }
  });
});

describe.each(Object.entries(INBOXES))("webhookInbox of %s", (_, open) => {
  it("accepts how long it keeps handled deliveries", () => {
    for (const keepMs of [undefined, 0.5, 1, 1e12]) expect(refusal(() => open({ keepMs }))).toBe("it is taken");
    for (const keepMs of [0, -1, Number.NaN, Infinity, "2", null]) {
      expect(refusal(() => open({ keepMs }))).toBe(
        "webhookInbox: keepMs must be a finite number of milliseconds above 0",
      );
    }
  });
});

it("webhookInbox of Redis keeps for whole milliseconds, because Redis refuses fractions", async () => {
  const given: string[][] = [];
  const connection = { eval: async (_: string, { arguments: values }: { arguments: string[] }) => given.push(values) };
  const { records } = redis.webhookInbox(connection, { queue, keepMs: 0.5 });
  await records?.handled({ record: "a", updatedAt: 7 });
  expect(given).toEqual([["7", "1"]]);
});

describe.each(Object.entries(JOURNALS))("bulkJournal of %s", (_, open) => {
  it("accepts a name", () => {
    for (const name of ["", 7, null, undefined]) {
      expect(refusal(() => open(name as never, {}))).toBe("bulkJournal: name must be text");
    }
  });
});

it("webhookInbox of Postgres accepts only a name as its schema", () => {
  const open = (schema: unknown) => refusal(() => postgres.webhookInboxSql({ schema } as object));
  for (const schema of [undefined, "school", "_1", "a".repeat(60)]) expect(open(schema)).toBe("it is taken");
  for (const schema of ["", "1a", "A", "a.b", 'a"', "a;b", "a\n", "\na", "a".repeat(61), null, 7]) {
    expect(open(schema)).toBe(
      "webhookInbox: schema must consist of at most 60 lower-case letters, digits and _, and must not begin with a digit",
    );
  }
});

it.each<[string, (connection: never) => unknown, string]>([
  ["SQLite", sqlite.rateLimitStore, "rateLimitStore: the connection must have the methods exec and prepare"],
  ["SQLite", sqlite.webhookInbox, "webhookInbox: the connection must have the methods exec and prepare"],
  [
    "SQLite",
    (connection) => sqlite.bulkJournal(connection, "a"),
    "bulkJournal: the connection must have the methods exec and prepare",
  ],
  ["Postgres", postgres.rateLimitStore, "rateLimitStore: the connection must have the methods query"],
  ["Postgres", postgres.webhookInbox, "webhookInbox: the connection must have the methods query"],
  [
    "Postgres",
    (connection) => postgres.bulkJournal(connection, "a"),
    "bulkJournal: the connection must have the methods query",
  ],
  ["Redis", redis.rateLimitStore, "rateLimitStore: the connection must have the methods eval"],
])("a value that is not a connection is refused by %s", (_, open, message) => {
  for (const connection of [undefined, null, 7, {}, "file.sqlite"]) {
    expect(refusal(() => open(connection as never))).toBe(message);
  }
});

it("a connection that lacks one method is refused with the names of all", () => {
  expect(refusal(() => sqlite.rateLimitStore({ prepare: () => ({}) } as never))).toBe(
    "rateLimitStore: the connection must have the methods exec and prepare",
  );
  expect(refusal(() => redis.webhookInbox(redisConnection, { queue: { ...queue, getJob: undefined } } as never))).toBe(
    "webhookInbox: queue must have the methods add, getJob, getJobState, getJobCounts and getJobs",
  );
});
