// Applies a plan of 10,000 rows in processes that are killed 500 times, with every kind of fault: node
// test/campaign/bulk.ts [rows] [kills]. Prints the result, and ends with status 1 if a row was lost or created twice.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killAgain } from "../bulk/support/kills.ts";

const [rows = 10_000, kills = 500] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "bulk-"));
try {
  const result = await killAgain(join(folder, "a.plan"), rows, kills, 1);
  console.log(JSON.stringify(result));
  const { doubled, lost, early, outcomes } = result;
  process.exitCode = doubled + lost + early === 0 && outcomes === rows ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
