import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { transform } from "esbuild";
import { expect, test } from "vitest";
import { RULES } from "../../src/stores/turns.js";

// Processes with different rules must not decide from the same log. If you change the decisions in src/stores/turns.ts,
// raise the number, then copy the digest that this test prints. Comments do not change the digest.
test("every change of the rules of turns increases their number", async () => {
  const source = readFileSync(new URL("../../src/stores/turns.ts", import.meta.url), "utf8");
  const { code } = await transform(source, { loader: "ts", minify: true, target: "es2022" });
  const digest = createHash("sha256").update(code).digest("hex").slice(0, 16);
  expect([RULES, digest]).toEqual([2, "f6c62ade0ced467d"]);
});
