// Bundles the Worker as its tools do, serves it with workerd, sends deliveries to its receiver and runs the smoke suite
// in it.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
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
  await visitAll(`http://127.0.0.1:${port}`, 200, 20);
  const response = await fetch(`http://127.0.0.1:${port}/?${new URLSearchParams({ baseUrl, apiKey })}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  console.log(text);
} finally {
  child.kill();
}

/** @throws Error if a delivery does not get a 200, or is not handled within 20 seconds. */
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

/**
 * Half of the visitors of a page leave while one of their calls still runs. All share one client, which may send ten
 * requests at a time.
 * @throws Error if another visitor gets no response, or too many requests are open at once.
 */
async function visitAll(url, count, atOnce) {
  let open = 0;
  let most = 0;
  const service = createServer((request, response) => {
    most = Math.max(most, ++open);
    response.on("close", () => open--);
    response.setHeader("content-type", "application/json");
    if (request.url.endsWith("/404")) response.writeHead(404).end('{"errors":{},"code":404,"message":"Not Found"}');
    else setTimeout(() => response.end('{"id":1,"name":"A"}'), request.url.endsWith("/1") ? 500 : 10);
  });
  await new Promise((done) => service.listen(0, "127.0.0.1", done));
  const baseUrl = `http://127.0.0.1:${service.address().port}`;
  const seen = { answered: 0, NotFoundError: 0 };
  let next = 0;
  const visitor = async () => {
    for (let id = next++; id < count; id = next++) {
      const query = new URLSearchParams({ baseUrl, ...(id % 2 === 0 && { leaves: "1" }) });
      const text = await (await fetch(`${url}/visit?${query}`, { signal: AbortSignal.timeout(60_000) })).text();
      seen[text] = (seen[text] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, visitor));
  service.close();
  const counts = JSON.stringify({ ...seen, most });
  if (seen.answered !== count / 2 || seen.NotFoundError !== count / 2 || most > 10)
    throw new Error(`visitors: ${counts}`);
}
