import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fold } from "../../src/bulk/history.js";
import { akin, type Look, Sight } from "../../src/bulk/sight.js";
import { step } from "../../src/bulk/step.js";
import { CASES, type Case, ROWS, WITNESS } from "./support/steps.js";

const SETTINGS = {
  settleMs: 1,
  freshMs: 0.01,
  most: 3,
  same: (_: unknown, path: string, expected: unknown, record: Readonly<Record<string, unknown>>) =>
    record[path] === expected,
};

test.each(CASES)("a $row $when: $next", ({ row, lines, witness, now, look, read, decision }) => {
  const history = fold(ROWS[row], lines);
  const rows = [history, ...(witness ? [fold(WITNESS, witness.lines)] : [])];
  const seen: Look = { began: 0, whole: false, ascending: true, shown: [], ...look };
  const evidence = {
    now,
    sight: look ? new Sight(seen, rows, SETTINGS.same) : null,
    read: read ? { began: now, ended: now, record: null, ...read } : null,
  };
  expect(step(history, evidence, SETTINGS)).toMatchObject(decision);
});

test("the guide's tables are these cases", () => {
  const guide = readFileSync(new URL("../../docs/guides/bulk.md", import.meta.url), "utf8");
  const table = (row: Case["row"]) =>
    CASES.filter((one) => one.row === row).map(({ when, next }) => `| ${when} | ${next} |`);
  for (const row of ["create", "change", "delete"] as const) {
    expect(guide, row).toContain(`| ${row} | next |\n| --- | --- |\n${table(row).join("\n")}\n`);
  }
});

test("a text is akin to what a service may make of it, and to no other", () => {
  for (const other of ["ada", "2030: Ada!", "A&amp;da", "<b>ada</b>", "ad", "\u00E1da", ""])
    expect(akin("Ada", other)).toBe(true);
  for (const other of ["zoe", "adb", "dda"]) expect(akin("Ada", other)).toBe(false);
});
