// The sandbox as a process of its own: tells where it listens, and its settled heap whenever it is asked.
import { createSandbox } from "education-admin-sdk/sandbox";
import { listen } from "education-admin-sdk/sandbox/node";
import { settledHeapMb } from "./memory.ts";

const [seed, size] = process.argv.slice(2).map(Number);
const sandbox = createSandbox({ seed: seed ?? 1, size: size ?? 1_000, rateLimit: false });
const server = await listen(sandbox);
process.on("message", (question) => {
  if (question === "heap") process.send?.(settledHeapMb());
  // The parent is done: what is left running would keep this process, and so the campaign, from ending.
  else void server.close().then(() => process.disconnect());
});
process.send?.({ baseUrl: server.url, apiKey: sandbox.apiKey });
