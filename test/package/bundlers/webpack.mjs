import { fileURLToPath } from "node:url";
import webpack from "webpack";

const pathTo = (path) => fileURLToPath(new URL(path, import.meta.url));
const [entry, outdir, target] = process.argv.slice(2);
// Bundles as Next bundles its server: CommonJS output, no external packages, the conditions of server components.
const server = {
  target: "node22",
  output: { path: pathTo(outdir), filename: "route.cjs", library: { type: "commonjs2" } },
  resolve: { conditionNames: ["react-server", "node", "import", "require"] },
  externalsPresets: { node: true },
};
const browser = { target: ["web", "es2022"], output: { path: pathTo(outdir), filename: "page.js" } };
webpack(
  {
    mode: "production",
    context: pathTo("."),
    entry: `./${entry}`,
    performance: { hints: false },
    devtool: false,
    ...(target === "server" ? server : browser),
  },
  (error, stats) => {
    if (!error && !stats.hasErrors() && !stats.hasWarnings()) return;
    console.error(error ?? stats.toString("errors-warnings"));
    process.exitCode = 1;
  },
);
