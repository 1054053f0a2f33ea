import { build } from "esbuild";

const [entry, outdir, target] = process.argv.slice(2);
const server = {
  entryPoints: { route: entry },
  platform: "node",
  conditions: ["react-server", "node", "import"],
  outExtension: { ".js": ".mjs" },
};
const browser = { entryPoints: { page: entry }, platform: "browser", minify: true };
const { warnings } = await build({
  outdir,
  bundle: true,
  format: "esm",
  target: "es2022",
  ...(target === "server" ? server : browser),
});
if (warnings.length > 0) process.exitCode = 1;
