import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { findUnreached } from "../../scripts/build/unreached.js";
import { codeWithoutDocs } from "../../scripts/build/without-docs.js";

describe("scripts in dist", () => {
  test("contain no docstrings, but every other comment and all text that looks like one", () => {
    const code = `import * as z from "zod/mini";
const schema = /* @__PURE__ */ model(() => ({
  /** Unique within the provider. */
  id: z.int(),
  /**
   * Two
   * lines.
   */
  name: z.string(), // the trade name
  // Why it is so.
  text: \`
/** written into a file */
\`,
  pattern: /\\/\\*\\* x \\*\\//, note: "/** no comment */"
}));
`;
    expect(codeWithoutDocs(code)).toBe(`import * as z from "zod/mini";
const schema = /* @__PURE__ */ model(() => ({
  id: z.int(),
  name: z.string(), // the trade name
  // Why it is so.
  text: \`
/** written into a file */
\`,
  pattern: /\\/\\*\\* x \\*\\//, note: "/** no comment */"
}));
`);
  });
});

describe("dist", () => {
  const folder = mkdtempSync(join(tmpdir(), "dist-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  function write(name: string, text: string): void {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }

  test("contains the files that package.json names, and every file that they import", () => {
    const exports = { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" }, "./data": "./data.json" };
    const imports = { "#platform": { node: "./dist/server.js", default: "./dist/page.js" } };
    write("package.json", JSON.stringify({ exports, imports, bin: { it: "./dist/cli.js" } }));
    write(
      "dist/index.js",
      'import "./a.js"; export * from "./b/c.js"; const later = () => import("./later.js");const quote=/[`"]/;import"./min.js";',
    );
    write("dist/b/c.js", 'export { x } from "../d.js";');
    write("dist/index.d.ts", 'export type { A } from "./a.js"; export declare const b: import("./b/c.js").B;');
    for (const name of ["a", "d", "later", "min", "server", "page", "cli", "alone"]) write(`dist/${name}.js`, "");
    for (const name of ["a", "b/c", "d", "later", "cli"]) write(`dist/${name}.d.ts`, "export {};");
    write("dist/parser-license.txt", "");
    expect(findUnreached(folder)).toEqual(["dist/alone.js", "dist/cli.d.ts", "dist/d.d.ts", "dist/later.d.ts"]);
  });

  test("is refused if a file imports one that is missing", () => {
    write("dist/d.js", 'import "./gone.js";');
    expect(() => findUnreached(folder)).toThrow("gone.js");
  });
});
