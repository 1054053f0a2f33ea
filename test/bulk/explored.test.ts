import { expect, test } from "vitest";
import { explore, type Violation } from "./explorer/explore.js";
import { KINDS } from "./explorer/kinds.js";

test("every trace with one deviation keeps the promises, in every kind of service", async () => {
  const violations: Violation[] = [];
  let traces = 0;
  for (const kind of KINDS) traces += await explore(kind, 1, (one) => violations.push(one));
  expect(traces).toBeGreaterThan(3_000);
  const open = violations.filter(({ remainder }) => remainder === "");
  expect(open.map(({ kind, what, log }) => [kind, what, ...log].join("\n"))).toEqual([]);
});
