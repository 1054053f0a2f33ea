import { execFile } from "node:child_process";
import { appendFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { testFolder } from "./support/folder.js";

// A small default saves time. To test the promised size: BULK_ROWS=1000000 npx vitest run --project full
// test/bulk/memory.test.ts
const ROWS = Number(process.env.BULK_ROWS ?? 200_000);
const MOST_BYTES = 60e6 * Math.max(0.3, ROWS / 1e6);
const WORKER = fileURLToPath(new URL("support/memory-worker.ts", import.meta.url));

test("planning a long CSV file keeps only a small part of it in memory", { timeout: 900_000 }, async () => {
  const at = testFolder();
  appendFileSync(at("rows.csv"), "email,first_name,last_name\n");
  for (let row = 0; row < ROWS; row += 10_000) {
    const lines = Array.from({ length: 10_000 }, (_, at) => `p${row + at}@example.com,First ${row + at},Last\n`);
    appendFileSync(at("rows.csv"), lines.join(""));
  }
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", WORKER, at("rows.csv"), at("a.plan")]);
  const { create, before, most } = JSON.parse(stdout) as Record<string, number>;
  console.log(`${ROWS} rows: ${((Number(most) - Number(before)) / 1e6).toFixed(1)} MB above the baseline`);
  expect(create).toBe(ROWS);
  expect(most).toBeGreaterThan(Number(before));
  expect(Number(most) - Number(before)).toBeLessThan(MOST_BYTES);
});
