// Runs the sandbox in a separate process that reports its address and, on request, the size of its heap after garbage
// collection.
import { createSandbox } from "education-admin-sdk/sandbox";
import { listen } from "education-admin-sdk/sandbox/node";
import { settledHeapMb } from "./memory.ts";

const [seed, size] = process.argv.slice(2).map(Number);
const sandbox = createSandbox({ seed: seed ?? 1, size: size ?? 1_000, rateLimit: false });
const server = await listen(sandbox);
process.on("message", (question) => {
  if (question === "heap") process.send?.(settledHeapMb());
  // The parent no longer needs this process. Anything still running would keep it, and thus the campaign, alive.
  else void server.close().then(() => process.disconnect());
});
process.send?.({ baseUrl: server.url, apiKey: sandbox.apiKey });
