import { join } from "node:path";
import { run } from "../../lib/process.ts";
import { ForwardProxy } from "../proxy.ts";
import type { Context, Passed, Row } from "../row.ts";
import { runSmoke } from "../steps.ts";

const GROUP = "proxy";

/** Proxies and connections, with a real proxy between client and service. */
export const NETWORK_ROWS: readonly Row[] = [
  ...(["22", "24", "26"] as const).map((line) => ({
    name: `proxy-environment-node-${line}`,
    group: "runtimes",
    run: (context: Context) => environment(context, line),
  })),
  { name: "proxy-dispatcher", group: GROUP, run: dispatcher },
  { name: "keep-alive", group: GROUP, run: keepAlive },
];

/** Checks that the environment variables send every request through the proxy, and none without NODE_USE_ENV_PROXY. */
async function environment(context: Context, line: string): Promise<Passed> {
  const cwd = await context.workspace.install(GROUP);
  const runtimes = await context.workspace.install("runtimes");
  const node = join(runtimes, `node_modules/node-${line}-${process.arch === "arm64" ? "arm64" : "x64"}/bin/node`);
  const proxy = await ForwardProxy.start();
  try {
    const env = { HTTP_PROXY: proxy.url, http_proxy: proxy.url, NO_PROXY: "", no_proxy: "" };
    await runSmoke(context, node, ["environment.mjs"], { cwd, env });
    if (proxy.passed.length > 0) throw new Error("Node used the proxy without NODE_USE_ENV_PROXY: the check is blind");
    const { received } = await context.service();
    const before = received.length;
    const { version } = await runSmoke(context, node, ["environment.mjs"], {
      cwd,
      env: { ...env, NODE_USE_ENV_PROXY: "1" },
    });
    const requests = received.length - before;
    const tunnels = proxy.passed.filter((line) => line.startsWith("CONNECT")).length;
    if (proxy.passed.length === 0) throw new Error("no request came through the proxy");
    if (tunnels === 0 && proxy.passed.length !== requests) {
      throw new Error(`${requests} requests reached the service, ${proxy.passed.length} of them through the proxy`);
    }
    return { version, note: `${requests} requests through the proxy, ${tunnels} tunnels` };
  } finally {
    await proxy.close();
  }
}

/** Checks that a dispatcher in the `fetch` option sends this client's requests through the proxy. */
async function dispatcher(context: Context): Promise<Passed> {
  const cwd = await context.workspace.install(GROUP);
  const { url, apiKey, received } = await context.service();
  const proxy = await ForwardProxy.start();
  const before = received.length;
  try {
    const out = await run(process.execPath, ["dispatcher.mjs", proxy.url, url, apiKey], { cwd });
    const expected = { accounts: 250, created: "Through a proxy", missing: "NotFoundError" };
    const found = JSON.parse(out) as typeof expected;
    if (found.accounts < expected.accounts) throw new Error(`only ${found.accounts} accounts arrived`);
    if (found.created !== expected.created || found.missing !== expected.missing) throw new Error(out);
    if (proxy.passed.length === 0) throw new Error("no request came through the proxy");
    const version = `undici ${await context.workspace.versionOf(GROUP, "undici")}`;
    return { version, note: `${received.length - before} requests, ${proxy.passed.length} tunnels` };
  } finally {
    await proxy.close();
  }
}

/** Checks that successive calls share a connection and that an agent's limit on connections holds. */
async function keepAlive(context: Context): Promise<Passed> {
  const cwd = await context.workspace.install(GROUP);
  const { url, apiKey, received } = await context.service();
  const before = received.length;
  await run(process.execPath, ["connections.mjs", url, apiKey], { cwd });
  const connections = (prefix: string) => {
    const requests = received.slice(before).filter((request) => request.url.startsWith(`${url}/${prefix}/`));
    if (requests.length !== 20) throw new Error(`${requests.length} requests below /${prefix}, expected 20`);
    return new Set(requests.map(({ port }) => port)).size;
  };
  const [plain, platform, agent, wide] = ["plain", "platform", "agent", "wide"].map(connections) as [
    number,
    number,
    number,
    number,
  ];
  // undici may open a second connection while the first is not yet free; more would be our fault.
  if (platform > Math.max(plain, 2) || agent > 2) {
    throw new Error(`20 calls in a row took ${platform} and ${agent} connections, plain fetch ${plain}`);
  }
  if (wide > 2) throw new Error(`an agent of 2 connections took ${wide}`);
  const note = `connections of 20 calls in a row: ${platform}, plain fetch ${plain}; of 20 at once with an agent of 2: ${wide}`;
  return { version: process.version, note };
}
