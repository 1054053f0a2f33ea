import { expect, test } from "vitest";
import { readSheet } from "../../src/bulk/node.js";
import { exportTo } from "../../src/export/node.js";
import { testFolder } from "../bulk/support/folder.js";

const ROWS = 200_000;
const MB = 1 << 20;

/** The largest heap in use while some rows pass, after a collection at the first of them. */
function heapMeter() {
  const heapBytes = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
  let rows = 0;
  let least = Number.POSITIVE_INFINITY;
  let floor = 0;
  return {
    note() {
      rows++;
      least = Math.min(least, heapBytes());
      // Garbage makes the heap larger for a while, so the least of many rows counts.
      if (rows % 20_000 !== 0) return;
      floor = Math.max(floor, least);
      least = Number.POSITIVE_INFINITY;
    },
    get floor() {
      return floor;
    },
  };
}

test("200,000 rows are written and read with a heap that does not grow with them", async () => {
  const at = testFolder();
  const before = process.memoryUsage().heapUsed + process.memoryUsage().external;
  const written = heapMeter();
  function* records() {
    for (let id = 1; id <= ROWS; id++) {
      written.note();
      yield {
        id,
        name: `Person number ${id}`,
        phone: `06${id}`,
        note: "text ".repeat(8),
        amount: id * 1.25,
        code: "0012",
      };
    }
  }
  await exportTo(at("a.xlsx"), records(), { format: "xlsx" });
  const read = heapMeter();
  let rows = 0;
  for await (const { phone } of readSheet(at("a.xlsx"))) {
    rows++;
    read.note();
    if (rows === ROWS) expect(phone).toBe(`06${ROWS}`);
  }
  expect(rows).toBe(ROWS);
  const grown = [written, read].map(({ floor }) => Math.round((floor - before) / MB));
  console.log(`The heap grew by ${grown.join(" and ")} MB while ${ROWS} rows were written and read.`);
  // The rows alone have more than 100 MB as objects.
  expect(Math.max(...grown)).toBeLessThan(60);
});
