import { beforeAll, describe, expect, test } from "vitest";
import { guides } from "../../scripts/lib/guides.ts";
import { argumentsIn, readWords } from "../../scripts/lib/words.ts";
import { kebab } from "../../src/cli/operations.js";
import { KEPT, LIST_NAMES } from "../../src/generated/words.js";
import { allOperations } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { runLine } from "./run-support.js";

const { words, guides: forGuides, lists, kept } = readWords();
const ids = new Set(allOperations.map(({ id }) => id as string));
const sandbox = createSandbox({ size: "small", rateLimit: false });
let env: Record<string, string>;
beforeAll(async () => {
  const server = await listen(sandbox);
  env = { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  return () => server.close();
});

const run = (args: readonly string[]) => runLine(args, env);

describe("docs/words.ndjson", () => {
  test("names only existing operations and guides, and no word twice", () => {
    const names = new Set(guides().map(({ file }) => file.slice("docs/guides/".length, -".md".length)));
    const named = [...words.flatMap((word) => word.guides), ...forGuides.map(({ guide }) => guide)];
    expect(named.filter((guide) => !names.has(guide))).toEqual([]);
    expect(words.flatMap(({ operations = [] }) => operations).filter((id) => !ids.has(id))).toEqual([]);
    expect(new Set(words.map(({ word }) => word)).size).toBe(words.length);
    expect(words.length).toBeGreaterThan(200);
  });

  test("says that a resource keeps its records only if no operation deletes them", () => {
    expect(kept.flatMap(({ resource }) => [...ids].filter((id) => kebab(id) === `${resource}.delete`))).toEqual([]);
    expect(kept.filter(({ resource }) => ![...ids].some((id) => kebab(id).startsWith(`${resource}.`)))).toEqual([]);
    // Each operation named in a sentence exists.
    const operations = kept.flatMap(({ keeps }) =>
      [...keeps.matchAll(/do ([\w-]+\.[\w-]+)/g)].map(([, id = ""]) => id),
    );
    expect(operations.length).toBeGreaterThan(5);
    expect(operations.filter((name) => ![...ids].some((id) => kebab(id) === name))).toEqual([]);
  });
});

const reading = words.flatMap(({ word, command = "" }) =>
  /^(list|get|count) /.test(command) && !command.includes("--out") ? [[word, command] as const] : [],
);

test("most words lead to a command that reads", () => expect(reading.length).toBeGreaterThan(80));

test.each(reading)("%s: %s", async (_, command) => {
  const { status, stderr } = await run(argumentsIn(command));
  expect(status, stderr).toBe(0);
});

test.each(lists.map(({ list, command }) => [list, command] as const))(
  "list %s prints the same as %s",
  async (list, command) => {
    const asked = await run(["list", list]);
    const meant = await run(argumentsIn(command));
    expect(asked).toEqual({ ...meant, stderr: `${list}: ${command.slice("list ".length)}\n${meant.stderr}` });
    expect([asked.status, LIST_NAMES.get(list)]).toEqual([0, argumentsIn(command).slice(1)]);
  },
);

test.each([
  ["invoices list --limit 2", "list invoices --limit 2"],
  ["invoices get 7", "get invoices 7"],
  ["planned-courses count", "count planned-courses"],
  ["students count", "count users --role student"],
  ["invoices get-pdf 7", "get invoices.get-pdf 7"],
])("%s does the same as %s", async (given, meant) => {
  const { status, stdout } = await run(given.split(" "));
  expect({ status, stdout }).toEqual({ status: 0, stdout: (await run(meant.split(" "))).stdout });
});

test("webhooks names a resource if the webhooks command lacks the verb", async () => {
  const { status, stderr } = await run(["webhooks", "create", "url=https://school.example/hook", "--yes"]);
  expect(status, stderr).toBe(0);
  expect((await run(["webhooks", "list"])).stdout).toContain("https://school.example/hook");
});

test("a verb after a resource writes like the command", async () => {
  const { id } = sandbox.store.labels.insert({});
  expect(await run(["labels", "delete", String(id), "--yes"])).toMatchObject({
    status: 0,
    stderr: "labels.delete: done\n",
  });
  expect(sandbox.store.labels.get(id)).toBeUndefined();
  const { status } = await run(["labels", "create", "name=Open day", "model_type=User", "--yes"]);
  expect([status, sandbox.store.labels.filter(({ name }) => name === "Open day").length]).toEqual([0, 1]);
});

test("the command line and the file agree on the resources whose records cannot be deleted", () => {
  expect([...KEPT.keys()]).toEqual(kept.map(({ resource }) => resource));
});

test.each([
  [["invoices", "op"], "open\n"],
  [["list", "stud"], "students\n"],
  [["list", "students", "--ro"], "--role\n"],
  [["enrollments", "li"], "list\n"],
])("typing %j completes to %j", async (typed, completed) => {
  expect((await run(["completion", "--", ...typed])).stdout).toBe(completed);
});
