import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { judged } from "../../scripts/evals/evals.js";
import { modelFrom, solvedBy } from "../../scripts/evals/model.js";
import { School, TASKS } from "../../scripts/evals/run.js";
import { drawn } from "../support/amount.js";

const school = new School();

test.each(drawn(TASKS, 8, 8).map((task) => [task.name, task] as const))(
  "%s: solved, and every wrong solution is noticed",
  async (_, task) => {
    const { reasons, unnoticed, mutants } = await judged(school, task);
    expect(reasons).toEqual([]);
    expect(unnoticed).toEqual([]);
    expect(mutants).toBeGreaterThanOrEqual(3);
  },
);

test("there are 40 tasks, a third of them plan or write", () => {
  expect(TASKS).toHaveLength(40);
  expect(
    TASKS.filter(({ options, name }) => options.access === "plan" || /^program: (a tele|newc)/.test(name)).length,
  ).toBeGreaterThan(13);
});

test("programs call only methods that the skill shows", () => {
  const skill = readFileSync(new URL("../../skills/education-admin-sdk/SKILL.md", import.meta.url), "utf8");
  const called = TASKS.filter(({ by }) => by === "program").flatMap(({ solve }) => [
    ...String(solve).matchAll(/client\.\w+\.(\w+)\(|\)\s*\.(with|toArray|get)\(|\b(run|pickInput)\(/g),
  ]);
  const names = new Set(called.map(([, method, chained, own]) => method ?? chained ?? own));
  expect(names.size).toBeGreaterThan(6);
  for (const name of names) expect(skill).toMatch(new RegExp(`\\b${name}\\(`));
});

describe("a model", () => {
  // It asks for what it was told to count, once with the filter and once without.
  const answers = { right: { from: "users", where: { role: "teacher" } }, wrong: { from: "users" } };
  const server = createServer(async (request, response) => {
    const { model, messages } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as {
      model: keyof typeof answers;
      messages: { role: string; content: string }[];
    };
    const told = messages.find(({ role }) => role === "tool")?.content;
    const asks = [
      { id: "1", type: "function", function: { name: "count", arguments: JSON.stringify(answers[model]) } },
    ];
    const count = told === undefined ? null : (JSON.parse(told) as { count: number }).count;
    const message = { role: "assistant", content: count === null ? null : `I counted.\n{"answer": ${count}}` };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ choices: [{ message: count === null ? { ...message, tool_calls: asks } : message }] }),
    );
  });
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", () => resolve())));
  afterAll(() => void server.close());

  test.each([
    ["right", []],
    ["wrong", ["answer"]],
  ])("is asked with the tools and graded as a script is: %s", async (name, reasons) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const model = modelFrom({ EVALS_API_KEY: "key", EVALS_MODEL: name, EVALS_URL: url });
    const task = TASKS.find((each) => each.name === "teachers");
    expect(await solvedBy(school, task!, model!)).toEqual(reasons);
  });

  test("is not asked without a key", () => {
    expect(modelFrom({ EVALS_MODEL: "any" })).toBeNull();
  });
});
