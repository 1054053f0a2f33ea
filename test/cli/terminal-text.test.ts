import { expect, test } from "vitest";
import { outputProblem } from "../../src/cli/system-problem.js";
import { ExportLine } from "../../src/cli/tell/export-progress.js";
import { tableOf } from "../../src/cli/tell/table.js";

test("a table shows no control characters, and is cut to the terminal's width", () => {
  const table = tableOf(
    [
      { id: 1, name: "a\u001b[31m\nb", tags: [1] },
      { id: 2, name: null },
    ],
    null,
    12,
  );
  expect(table).toBe("id  name\n1   a [31m b\n2\n");
  expect(tableOf([{ id: 1, name: "x".repeat(99) }], null, 20)).toBe(`id  name\n1   ${"x".repeat(15)}…\n`);
});

test("a table measures the width of wide and combining characters", () => {
  const names = ["東京大学", "Zoe\u0308 B", "👩‍👩‍👧 K", "\u202eevil"];
  const table = tableOf(
    names.map((name, at) => ({ name, id: at })),
    null,
    80,
  );
  expect(table).toBe(`name      id\n東京大学  0\nZoe\u0308 B     1\n👩‍👩‍👧 K      2\n evil     3\n`);
  expect(tableOf([{ name: "東京大学" }], null, 6)).toBe("name\n東京…\n");
});

test("if its output fails, the program ends without a stack trace, and silently if the reader has closed it", () => {
  const problemOf = (code: string, message: string) => outputProblem(Object.assign(new Error(message), { code }));
  expect(problemOf("EPIPE", "write EPIPE")).toBeNull();
  expect(problemOf("ENOSPC", "ENOSPC: no space left on device, write")).toBe(
    "The output could not be written: the disk is full\n",
  );
  expect(problemOf("EIO", "EIO: i/o error, write")).toBe("The output could not be written: EIO: i/o error, write\n");
});

test("the progress line shows a bar, a percentage and the expected end if the length is known", () => {
  const progress = {
    records: 12_300,
    pages: 123,
    bytes: 1_234_567,
    recordsPerSecond: 950,
    resumed: false,
    total: null,
    percent: null,
    expectedEnd: null,
  };
  const known = { ...progress, total: 24_600, percent: 50.4, expectedEnd: new Date("2030-01-01T09:04:10") };
  let shown = "";
  const lineOf = (columns: number) => {
    const output = {
      isTTY: true,
      columns,
      write: (text: string) => (shown = text.replace("\r", "").replace("\x1b[K", "")),
    };
    return new ExportLine(output);
  };
  const line = lineOf(100);
  line.page(progress);
  expect(shown).toBe("12,300 records  950/s  1.2 MB");
  line.page(known);
  expect(shown).toBe(`[${"#".repeat(12)}${" ".repeat(12)}] 50%  12,300 records  950/s  ends at about 09:05  1.2 MB`);
  line.wait({ until: new Date("2030-01-01T09:04:10"), why: "the rate limit is used up" });
  expect(shown).toBe("12,300 records; waiting until 09:05: the rate limit is used up");
  // Leaves three columns free for the ^C that the terminal writes.
  lineOf(40).page(known);
  expect(shown).toBe("50%  12,300 records  950/s  ends at …");
});
