import { fileURLToPath } from "node:url";
import webpack from "webpack";

const [entry, outdir, target = "web"] = process.argv.slice(2);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
webpack(
  {
    mode: "production",
    context: here("."),
    entry: `./${entry}`,
    target: target === "node" ? "node22" : ["web", "es2022"],
    output: { path: here(outdir), filename: "page.js" },
    performance: { hints: false },
    devtool: false,
  },
  (error, stats) => {
    if (!error && !stats.hasErrors() && !stats.hasWarnings()) return;
    console.error(error ?? stats.toString("errors-warnings"));
    process.exitCode = 1;
  },
);
