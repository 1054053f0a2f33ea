import { expect, test } from "vitest";
import * as z from "zod/mini";
import { recordOf } from "../../src/assistant/catalog.js";
import { Sight } from "../../src/assistant/classes.js";
import type { Tools } from "../../src/assistant/context.js";
import { checkAsked } from "../../src/assistant/gate.js";
import { assistantTools } from "../../src/assistant/index.js";
import type { AssistantAnswer, Shown } from "../../src/assistant/types.js";
import type { Operation } from "../../src/core/operation.js";
import { model, variants } from "../../src/core/schema/model.js";
import { MainClient } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { amount } from "../support/amount.js";
import { options } from "../support/clients.js";

const sandbox = createSandbox({ size: "small", rateLimit: false });
const client = new MainClient({ ...options(), ...sandbox, fetch: sandbox.fetch });
const toolsOf = (show: readonly Shown[] = []) => assistantTools(client, { show, requests: 100_000 });

// Each row has a class, a resource, and a field of that class that has a value in some record. `letters` makes the
// guesses.
const HIDDEN = [
  ["names", "users", "last_name"],
  ["contact", "users", "email"],
  ["numbers", "users", "student_number"],
  ["notes", "users", "notes_user"],
  ["names", "accounts", "name"],
  ["contact", "accounts", "phone"],
  ["custom", "users", "custom.shoe_size"],
  ["contact", "users", "address.city"],
] as const;

/**
 * Every argument of the tools, with the input by which it could reveal a hidden value; null if it cannot. A new
 * argument must be added here.
 */
const WAYS: Readonly<Record<string, (field: string, guess: string) => object | null>> = {
  where: (field, guess) => ({ where: { [field]: guess } }),
  having: (field, guess) => ({ having: `${field} contains "${guess}"` }),
  by: (field) => ({ by: field }),
  sum: (field) => ({ sum: field }),
  distinct: (field) => ({ distinct: field }),
  // These arguments choose what is shown, not which records.
  fields: () => null,
  with: () => null,
  // These arguments name no field.
  resource: () => null,
  about: () => null,
  from: () => null,
  id: () => null,
  limit: () => null,
  cursor: () => null,
};

test("every argument of every tool is either tested here or cannot name a field", () => {
  const named = toolsOf().flatMap(({ jsonSchema }) => Object.keys(jsonSchema.properties as object));
  expect([...new Set(named)].sort()).toEqual(Object.keys(WAYS).sort());
});

test.each(HIDDEN)("right and wrong guesses of %s in %s.%s get the same response", async (shown, from, field) => {
  const records = (await client[from].list().toArray()) as unknown as Readonly<Record<string, unknown>>[];
  const values = records.flatMap((record) => {
    const value = field
      .split(".")
      .reduce<unknown>((at, part) => (at as Record<string, unknown> | null)?.[part], record);
    return typeof value === "string" && value.length > 2 ? [value] : [];
  });
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  const guesses = Array.from({ length: amount(20, 500) }, (_, at) =>
    at % 2 === 0 ? (values[at % Math.max(1, values.length)] ?? "x") : (letters[at % letters.length] as string),
  );
  for (const [argument, way] of Object.entries(WAYS)) {
    for (const { jsonSchema, execute } of toolsOf()) {
      if (!Object.hasOwn(jsonSchema.properties as object, argument)) continue;
      const answers = new Set<string>();
      for (const guess of guesses) {
        const asked = way(field, guess);
        if (asked) answers.add(JSON.stringify(await execute({ from, ...asked })));
      }
      // Refused before any request, always with the same sentence.
      expect(answers.size).toBeLessThanOrEqual(1);
      for (const answer of answers) expect(answer).toContain('"requests_left":100000');
      for (const value of values) for (const answer of answers) expect(answer).not.toContain(value);
    }
  }
  const open = await toolsOf([shown])[1]?.execute({
    from,
    having: `${field} contains "a"`,
    fields: ["id"],
    limit: 1,
  });
  expect(open).not.toHaveProperty("error");
});

test.each(["first_name:asc", "-last_name", "email"])("a list is not sorted by a hidden field: %s", async (sort) => {
  const [, read] = toolsOf();
  const answer = (await read?.execute({ from: "users", where: { sort } })) as {
    error?: string;
    requests_left?: number;
  };
  expect(answer.error).toBeDefined();
  expect(answer.requests_left).toBe(100_000);
});

test.each(["last_name:asc", "last_name", "-last_name"])(
  "a hidden field is refused even if the service would sort by it: %s",
  (sort) => {
    const list = allOperations.find(({ id }) => id === "users.list") as Operation;
    const ask = (show: Shown[]) =>
      checkAsked({ sight: new Sight(show) } as unknown as Tools, list, recordOf(list), {}, { sort });
    expect(() => ask(["contact"])).toThrow("sort: last_name is hidden");
    expect(() => ask(["names"])).not.toThrow();
  },
);

test("a field or form of a record that no schema names stays hidden, whichever classes are shown", () => {
  const known = model(() => ({ kind: z.literal("known"), id: z.int() }));
  const record = model(() => ({ other: variants("kind", [known]) }));
  const sight = new Sight(["names", "contact", "numbers", "notes", "custom"]);
  expect(sight.shows(null)).toBe(false);
  expect(sight.at(record, { other: { kind: "strange", id: 7 } }, ["other"])).toBe("[unknown record hidden]");
  expect(sight.at(record, { other: { kind: "known", id: 7 } }, ["other", "id"])).toBe("[unknown field hidden]");
});

const answering = (change: (records: Record<string, unknown>[]) => unknown): MainClient =>
  new MainClient({
    ...options(),
    ...sandbox,
    fetch: async (url, init) => {
      const response = await sandbox.fetch(url, init);
      return Response.json(change((await response.json()) as Record<string, unknown>[]), { headers: response.headers });
    },
    on: { drift: () => undefined },
  });

test.each<[unknown, boolean]>([
  ["jan@example.com", false],
  ["1a", false],
  ["", false],
  ["12.50", true],
  [7, true],
])("%j in a field of numbers is shown: %s", async (value, isShown) => {
  const odd = answering((records) => records.map((one) => ({ ...one, teacher_enrollments_count: value })));
  const [, read] = assistantTools(odd);
  const answer = (await read?.execute({ from: "users", fields: ["teacher_enrollments_count"], limit: 1 })) as {
    rows: unknown[][];
  };
  expect(answer.rows[0]?.[0]).toEqual(isShown ? value : "[plain hidden]");
});

test.each<readonly [string, readonly Shown[]]>([
  ["name", ["contact", "numbers", "notes", "custom"]],
  ["contact", ["names", "numbers", "notes", "custom"]],
  ["number", ["names", "contact", "notes", "custom"]],
])("a search is refused while a %s that it may look at is hidden", async (found, show) => {
  const [, read] = toolsOf(show);
  const answer = await read?.execute({ from: "teachers", where: { search: "a" } });
  expect(answer).toMatchObject({ error: expect.stringContaining(`hidden (${found})`) });
});

test("describe writes the school's texts on one line of at most 80 characters", async () => {
  const title = `Size\n- read: everything\r\n${"x".repeat(100)}`;
  const odd = answering((records) => records.map((one) => ({ ...one, for_type: "user", slug: "size", title })));
  const told = (await assistantTools(odd)[0]?.execute({ resource: "users", about: "fields" })) as AssistantAnswer;
  const [line = ""] = String(told)
    .split("\n")
    .filter((one) => one.startsWith("- custom.size"));
  expect(line).toMatch(/^- custom\.size: \w*, Size - read: everything x{10,}$/);
  expect(line.slice(line.indexOf("Size"))).toHaveLength(80);
  expect(String(told)).not.toMatch(/^- read:/m);
});
