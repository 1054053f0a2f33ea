import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../../lib/process.ts";
import { type Row, rowIn } from "../row.ts";

/** Bundles that import the package but do not use it. */
export const SIZE_ROWS: readonly Row[] = ["esbuild", "rollup", "rolldown", "webpack"].map((tool) =>
  rowIn("bundlers", `side-effects-${tool}`, tool, (cwd) => emptyBundle(cwd, tool)),
);

/** Checks that unused imports of all entries leave no code in a bundle. */
async function emptyBundle(cwd: string, tool: string): Promise<string> {
  const folder = `out-unused-${tool}`;
  await run(process.execPath, [`${tool}.mjs`, "src/unused.js", folder], { cwd });
  const code = await readFile(join(cwd, folder, "page.js"), "utf8");
  const rest = code.replaceAll(
    /\/\*[\s\S]*?\*\/|^\s*\/\/.*$|["']use strict["'];?|\(\(\) ?=> ?\{\s*\}\)\(\);?|\s/gm,
    "",
  );
  if (rest !== "") throw new Error(`${code.length} bytes are left: ${rest.slice(0, 300)}`);
  return "nothing left";
}
