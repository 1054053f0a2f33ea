import { build } from "esbuild";

const [entry, outdir] = process.argv.slice(2);
await build({
  entryPoints: { page: entry },
  outdir,
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  logOverride: { "import-is-undefined": "error" },
});
