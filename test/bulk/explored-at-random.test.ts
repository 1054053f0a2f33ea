import { expect, test } from "vitest";
import { chance } from "../support/chance.js";
import { isShownLater, type Violation, wander } from "./explorer/explore.js";
import { KINDS } from "./explorer/kinds.js";

// The number of traces per kind. TRACES=20000 turns the test into a campaign; SEED selects other traces.
const TRACES = Number(process.env.TRACES ?? 200);
const SEED = Number(process.env.SEED ?? 36);

test("random traces with many deviations keep the promises, apart from the documented remainder, in every kind of service", async () => {
  const open: Violation[] = [];
  const random = chance(SEED);
  const note = (one: Violation) => void (one.remainder === "" && !isShownLater(one) && open.push(one));
  for (const kind of KINDS) await wander(kind, TRACES, random, note);
  expect(open.map(({ kind, what, log }) => [kind, what, ...log].join("\n"))).toEqual([]);
}, 3_600_000);
