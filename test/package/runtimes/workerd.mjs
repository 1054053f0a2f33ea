// Bundles the Worker as its tools do, serves it with workerd, sends its receiver deliveries and asks it for the smoke suite.
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
  await receiveAll(`http://127.0.0.1:${port}`, 100);
  const response = await fetch(`http://127.0.0.1:${port}/?${new URLSearchParams({ baseUrl, apiKey })}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  console.log(text);
} finally {
  child.kill();
}

/** @throws Error when a delivery is not answered with 200, or not handled within 20 seconds. */
async function receiveAll(url, count) {
  for (let id = 0; id < count; id++) {
    const { status } = await fetch(`${url}/deliver?id=${id}`);
    if (status !== 200) throw new Error(`a delivery was answered with ${status}`);
  }
  let handled = 0;
  for (let asked = 0; handled < count; asked++) {
    if (asked === 100) throw new Error(`${handled} of ${count} deliveries were handled`);
    handled = await (await fetch(`${url}/handled`)).json();
  }
}
