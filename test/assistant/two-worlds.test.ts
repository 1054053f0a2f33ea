import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { assistantTools } from "../../src/assistant/index.js";
import type { Shown } from "../../src/assistant/types.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { amount } from "../support/amount.ts";
import { chance } from "../support/chance.ts";

// Two schools that differ in hidden values alone must give the same response to every call of an assistant: then no
// response depends on a hidden value. The other school is the model of what may be known.

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** Hidden fields by the class that shows them. Both schools have the same values where a class is shown. */
const FIELDS = {
  users: { names: ["first_name", "last_name"], contact: ["email"], notes: ["description"] },
  accounts: { names: ["name"], contact: ["email", "phone"] },
} as const;
type From = keyof typeof FIELDS;

function twoSchools(show: readonly Shown[]) {
  return ["one", "two"].map((name) => {
    const sandbox = createSandbox({ size: 40, rateLimit: false, skipWaits: true, now: "2030-01-01T00:00:00Z" });
    const updated_at = "2029-12-31T00:00:00.000Z" as never;
    for (const from of Object.keys(FIELDS) as From[]) {
      for (const { id } of [...sandbox.store[from]]) {
        const hidden = Object.entries(FIELDS[from]).filter(([shown]) => !show.includes(shown as Shown));
        const fields = hidden.flatMap(([, all]) => all as readonly string[]);
        const values = fields.map((field) => [
          field,
          field === "email" ? `${name}${id}@school.example` : `${name} ${id}`,
        ]);
        sandbox.store[from].update(id, { ...Object.fromEntries(values), updated_at } as never);
      }
    }
    return sandbox;
  });
}

test.each<readonly [string, readonly Shown[]]>([
  ["nothing", []],
  ["names", ["names"]],
  ["contact and notes", ["contact", "notes"]],
])(
  "400 guesses through read, count and plan learn nothing of hidden fields, where %s may be known",
  async (_, show) => {
    const folder = mkdtempSync(join(tmpdir(), "worlds-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const schools = twoSchools(show).map((sandbox) => {
      const client = new MainClient({ ...sandbox, rateLimit: false });
      const tools = assistantTools(client, { access: "plan", show, plans: folder, requests: 100_000 });
      return Object.fromEntries(tools.map(({ name, execute }) => [name, execute]));
    });
    const random = chance(show.length + 1);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const guesses = amount(80, 400);
    const kinds = new Set<string>();
    for (let at = 0; at < guesses; at++) {
      const from = pick(Object.keys(FIELDS) as From[]);
      const hidden = Object.entries(FIELDS[from]).filter(([shown]) => !show.includes(shown as Shown));
      const field = pick(hidden.flatMap(([, all]) => [...all]));
      const id = 1 + Math.floor(random() * 45);
      const value = pick([`one ${id}`, `one${id}@school.example`, `two ${id}`, pick([...LETTERS]), "one", ""]);
      const condition = `${field} ${pick(["contains", "=", "!=", "<"])} "${value}"`;
      const other = pick(["id", "locale", "created_at"]);
      const asked = pick<readonly [tool: string, input: object]>([
        ["read", { from, fields: ["id", field], limit: 5 }],
        ["read", { from, having: condition, fields: ["id"] }],
        ["read", { from, where: { [field]: value }, fields: ["id"] }],
        ["read", { from, where: { search: value }, fields: ["id"] }],
        ["read", { from, where: { sort: `${field}:asc` }, fields: ["id"] }],
        ["read", { from, id: value === "" ? id : value, fields: ["id"] }],
        ["count", { from, having: condition }],
        ["count", { from, having: `locale = null or ${condition}` }],
        ["count", { from, by: field }],
        ["count", { from, distinct: field }],
        ["count", { from, sum: field }],
        ["plan", { to: from, key: "id", rows: [{ id, [field]: value }], why: "x" }],
        ["plan", { to: from, key: field, rows: [{ [field]: value, locale: "nl" }], why: "x" }],
        ["plan", { to: from, key: ["id", field], rows: [{ id, [field]: value, wants_newsletter: true }], why: "x" }],
        [
          "plan",
          {
            to: from,
            key: other,
            rows: [
              { [other]: id, [field]: value },
              { [other]: id, [field]: "y" },
            ],
            why: "x",
          },
        ],
      ]);
      const [tool, input] = asked;
      const answers = await Promise.all(schools.map(async (school) => answerText(await school[tool]?.(input))));
      kinds.add(`${tool} ${answers[0]?.includes('"error"') ? "refused" : "answered"}`);
      expect(answers[1], JSON.stringify(asked)).toBe(answers[0]);
    }
    expect([...kinds].sort()).toEqual([
      "count refused",
      "plan answered",
      "plan refused",
      "read answered",
      "read refused",
    ]);
  },
);

/** A response without the names of files, which differ by chance. */
function answerText(answer: unknown): string {
  return JSON.stringify(answer)
    .replace(/[\w/.-]*\/[\w-]+\.plan/g, "plan")
    .replace(/"digest":"\w+"|--confirm \w+/g, "digest");
}
