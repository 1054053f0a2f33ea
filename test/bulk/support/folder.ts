import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Makes a folder for one test. @returns a function that gives the path of a file in this folder. */
export function testFolder(): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), "bulk-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return (name) => join(folder, name);
}
