// Builds the scripts that the Run buttons of the site load, from the browser files of dist, into docs/site/run.
import { mkdirSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { exportedNames } from "../../test/docs/support/entry-points.ts";
import { ROOT } from "../lib/generated.ts";

const folder = `${ROOT}docs/site/run`;
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/names.json`, JSON.stringify(await exportedNames()));
await build({
  entryPoints: ["buttons", "worker"].map((name) => `${ROOT}scripts/run-in-page/${name}.ts`),
  outdir: folder,
  bundle: true,
  // Ignores the project's tsconfig: package.json decides which files browsers get.
  tsconfigRaw: {},
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  // The output of programs contains class names.
  keepNames: true,
  logLevel: "warning",
});
