import { expect, it } from "vitest";
import { ConfigurationError } from "../../src/core/errors.js";
import { createWebhookWorker, matchesWebhookPattern } from "../../src/webhooks/index.js";
import { deliveryOf } from "./support.js";

const table: [pattern: string, event: string, matches: boolean][] = [
  ["*", "invoice.updated", true],
  ["*", "anything", true],
  ["invoice.updated", "invoice.updated", true],
  ["invoice.updated", "invoice.updated.again", false],
  ["invoice.*", "invoice.updated", true],
  ["invoice.*", "invoice.updated.again", true],
  ["invoice.*", "invoice", false],
  ["invoice.*", "invoice_vat.updated", false],
  ["*.deleted", "invoice.deleted", true],
  ["*.deleted", "a.deleted.again", false],
  ["*.deleted", "a.b.deleted", false],
  ["*.deleted", "deleted", false],
  ["a.b.*", "a.b.c.d", true],
  ["a.b.*", "a.c.b", false],
  ["*.b.c", "a.b.c", true],
  ["*.b.c", "a.a.b.c", false],
];

it.each(table)("%s and %s: %s", async (pattern, event, matches) => {
  expect(matchesWebhookPattern(pattern, event)).toBe(matches);
  const called: string[] = [];
  const worker = createWebhookWorker({}).on(pattern, () => void called.push(event));
  await worker.process(deliveryOf(event));
  expect(called).toHaveLength(matches ? 1 : 0);
});

it.each([
  "",
  "a..b",
  ".a",
  "a.",
  "invoice*",
  "invoice.*d",
  "a.b*.c",
  "*.*",
  "a.*.c",
  "a.*.*",
  "*.a.*",
  "**",
  "*.",
  ".*",
])('"%s" can match nothing and is refused', (pattern) => {
  const add = () => createWebhookWorker({}).on(pattern, () => undefined);
  expect(add).toThrow(ConfigurationError);
  expect(add).toThrow(`"${pattern}" is not`);
});

it.each(["*.*", "a.*.c", "a.*.*", "*.b.*"])("%s is refused and matches no event", (pattern) => {
  for (const event of ["a.b", "a.b.c", "invoice.updated"])
    expect(matchesWebhookPattern(pattern, event), event).toBe(false);
});

it("names the type of a pattern that is not a text", () => {
  expect(() => createWebhookWorker({}).on(Symbol("x") as never, () => undefined)).toThrow(/^symbol is not/);
});
