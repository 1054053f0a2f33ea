import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { erase } from "../../../src/erase/node.js";
import { EMAIL } from "./places.ts";

/** A folder that is removed when the test ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "erase-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Writes files, and erases user 41 from them; the report's `left` has names in place of paths. */
export async function eraseIn(
  files: Readonly<Record<string, string | Buffer>>,
  options: object = {},
  folder = newFolder(),
) {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const report = await erase({ user: 41 }, { in: folder, write: true, ...options });
  const left = report.left.map(({ place, why }) => `${place.replace(`${folder}/`, "")} ${why}`);
  const textOf = (name: string) => readFileSync(join(folder, name), "utf8");
  return { ...report, left, textOf, folder };
}

export const ROSTER = `E-mail;Name\n${EMAIL};Jo\nada@example.com;Ada\n`;
export const LEFT_ROSTER = "E-mail;Name\nada@example.com;Ada\n";
