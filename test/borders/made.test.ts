import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { ENTRIES } from "../../scripts/lib/entries.ts";

// Builds of frameworks load the modules of an application, with its production environment or without one.
test("what is imported and made, but not used, does nothing, and lets the process end", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "made-"));
  const { PATH } = process.env;
  const child = spawn(process.execPath, [join(import.meta.dirname, "made.mjs")], { cwd, env: { PATH } });
  const [out, failure, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  expect({ failure, status }).toEqual({ failure: "", status: 0 });
  expect(JSON.parse(out)).toEqual({ entries: ENTRIES.length, made: 13, did: [] });
  expect(readdirSync(cwd)).toEqual([]);
});
