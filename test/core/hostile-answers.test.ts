import { expect, it } from "vitest";
import { MainClient } from "../../src/index.js";
// Tests every eighth kind; the package check tests all of them on Node 22, 24, 26 and Bun.
import { hostileAnswers } from "../package/runtimes/hostile-answers.mjs";

it("hostile responses end no process, hang no call, and leave no connection, timer or token", async () => {
  const { kinds, wrong } = await hostileAnswers(MainClient, 8);
  expect(wrong).toEqual([]);
  expect(kinds).toBeGreaterThanOrEqual(25);
});
