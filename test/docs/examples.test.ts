import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "./support/code-blocks.ts";
import { compile } from "./support/compile.ts";
import { EXAMPLES, start } from "./support/example.ts";
import { place } from "./support/place.ts";

describe("examples", () => {
  test("every example compiles as strictly as the library", async () => {
    const files = globSync(EXAMPLES.map((name) => join(root, `examples/${name}/*.ts`)));
    expect(files.length).toBeGreaterThan(EXAMPLES.length);
    const wrong = [...(await compile(files))].flatMap(([file, found]) =>
      found.map(({ line, message }) => `${file}:${line} ${message}`),
    );
    expect(wrong).toEqual([]);
  });

  test("README.md of the examples names every one of them", () => {
    const listed = readFileSync(join(root, "examples/README.md"), "utf8");
    const folders = readdirSync(join(root, "examples"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).filter((name) => !listed.includes(`(${name}/`))).toEqual([]);
  });

  test.each(EXAMPLES)("%s explains itself with --help and asks nothing", async (name) => {
    const { sandbox, cwd, env } = await place();
    const { code, output } = await start(`examples/${name}/${name}.ts`, ["--help"], { cwd, env }).ended;
    expect([code, output]).toEqual([0, expect.stringContaining(`node ${name}.ts`)]);
    expect(sandbox.requests).toEqual([]);
  });
});

describe("mirror-dashboard", () => {
  test("brings its mirror up to date once, queries it, and tells what has changed since the last time", async () => {
    const { sandbox, cwd, env } = await place();
    const dashboard = async (...more: string[]) =>
      (await start("examples/mirror-dashboard/mirror-dashboard.ts", more, { cwd, env }).ended).output;
    const changes = async () => (await start("examples/mirror-dashboard/changes.ts", [], { cwd, env }).ended).output;
    expect(await dashboard()).toContain(`enrollments: ${sandbox.store.enrollments.count} read`);
    const asked = sandbox.requests.length;
    expect(await dashboard()).toContain("students");
    expect(sandbox.requests.length).toBe(asked);
    expect((await changes()).trim().split("\n")).toHaveLength(sandbox.store.enrollments.count);
    sandbox.store.enrollments.update(1, { end_date: "2031-01-01" });
    await dashboard("--at-most", "1ms");
    expect(JSON.parse(await changes())).toMatchObject({ kind: "changed", id: "1", fields: ["end_date", "updated_at"] });
    expect(await changes()).toBe("");
  });
});
