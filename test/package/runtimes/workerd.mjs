// Bundles the Worker as its tools do, serves it with workerd and asks it for the smoke suite.
import { spawn } from "node:child_process";
import { build } from "esbuild";

const [workerd, baseUrl, apiKey] = process.argv.slice(2);
await build({
  entryPoints: ["worker.mjs"],
  outfile: "out/worker.js",
  bundle: true,
  format: "esm",
  target: "es2022",
  conditions: ["workerd", "worker", "browser"],
});
const child = spawn(workerd, ["serve", "workerd.capnp", "--control-fd=3"], {
  stdio: ["ignore", "inherit", "inherit", "pipe"],
});
const port = await new Promise((resolve, reject) => {
  child.on("close", (code) => reject(new Error(`workerd ended with ${code}`)));
  let seen = "";
  child.stdio[3].on("data", (chunk) => {
    seen += chunk;
    const found = /"port":(\d+)/.exec(seen);
    if (found) resolve(found[1]);
  });
});
try {
  const response = await fetch(`http://127.0.0.1:${port}/?${new URLSearchParams({ baseUrl, apiKey })}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  console.log(text);
} finally {
  child.kill();
}
