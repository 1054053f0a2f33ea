import { expect, test } from "vitest";
import { amount } from "../support/amount.js";
import { testFolder } from "./support/folder.js";
import { killAgain } from "./support/kills.js";

test("a plan killed again and again, with faults of every kind, loses nothing and creates nothing twice", async () => {
  const kills = amount(6, 20);
  const { report, stops: _, ...result } = await killAgain(testFolder()("a.plan"), 225, kills, 1);
  expect(result).toEqual({ kills, doubled: 0, lost: 0, early: 0, outcomes: 225 });
  expect(report).toMatchObject({ failed: 0, unknown: 0, doubled: 0, stale: 0 });
}, 240_000);
