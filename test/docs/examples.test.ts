import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { start } from "../support/program.ts";
import { root } from "./support/code-blocks.ts";
import { EXAMPLES, place } from "./support/place.ts";

describe("examples", () => {
  test("the README of the examples lists every example", () => {
    const listed = readFileSync(join(root, "examples/README.md"), "utf8");
    const folders = readdirSync(join(root, "examples"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).filter((name) => !listed.includes(`(${name}/`))).toEqual([]);
  });

  test.each(EXAMPLES)("%s prints its help with --help and sends nothing", async (name) => {
    const { sandbox, cwd, env } = await place();
    const { code, output } = await start(`examples/${name}/${name}.ts`, ["--help"], { cwd, env }).ended;
    expect([code, output]).toEqual([0, expect.stringContaining(`node ${name}.ts`)]);
    expect(sandbox.requests).toEqual([]);
  });
});
