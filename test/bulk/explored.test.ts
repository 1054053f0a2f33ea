import { expect, test } from "vitest";
import { drawCases } from "../support/amount.js";
import { explore, type Violation } from "./explorer/explore.js";
import { KINDS } from "./explorer/kinds.js";

test("every trace with one deviation keeps the promises, in the drawn kinds of service", async () => {
  const violations: Violation[] = [];
  let traces = 0;
  const kinds = drawCases(KINDS, KINDS.length / 2);
  for (const kind of kinds) traces += await explore(kind, 1, (one) => violations.push(one));
  expect(traces).toBeGreaterThan(50 * kinds.length);
  const open = violations.filter(({ remainder }) => remainder === "");
  expect(open.map(({ kind, what, log }) => [kind, what, ...log].join("\n"))).toEqual([]);
});
