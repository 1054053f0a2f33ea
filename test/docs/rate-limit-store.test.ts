import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RateLimitStore } from "../../src/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { listen } from "../../src/sandbox/node.ts";
import { rateLimitStoreContract } from "../support/rate-limit-store-contract.js";
import { programsOf } from "./support/code-blocks.ts";
import { start } from "./support/example.ts";

// The store exists in the guide only; what readers copy is what is tested here.
const folder = mkdtempSync(join(tmpdir(), "rate-limit-store-"));
const guide = programsOf("docs/guides/rate-limits.md").find(({ file }) => file === "sqlite-rate-limit-store.ts");
const path = join(folder, "sqlite-rate-limit-store.ts");
writeFileSync(path, guide?.code ?? "");
const { sqliteRateLimitStore } = (await import(path)) as { sqliteRateLimitStore(path: string): RateLimitStore };

let stores = 0;
rateLimitStoreContract("the guide's SQLite store", () => sqliteRateLimitStore(join(folder, `${++stores}.sqlite`)), {
  leases: true,
});

test("four processes that share the guide's SQLite store stay inside one budget together", async () => {
  const rateLimit = { requests: 40, windowMs: 1_500 };
  const sandbox = createSandbox({ rateLimit });
  const server = await listen(sandbox);
  onTestFinished(() => server.close());
  const worker = join(folder, "worker.ts");
  writeFileSync(
    worker,
    `import { MainClient } from "education-admin-sdk";
     import { sqliteRateLimitStore } from "./sqlite-rate-limit-store.ts";
     const store = sqliteRateLimitStore("budget.sqlite");
     const client = new MainClient({ rateLimit: { ...${JSON.stringify(rateLimit)}, store } });
     await Promise.all(Array.from({ length: 30 }, (_, index) => client.accounts.get(index + 1)));
     console.log("done");`,
  );
  const env = { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  const workers = [1, 2, 3, 4].map(() => start(worker, [], { cwd: folder, env }).ended);
  for (const ended of await Promise.all(workers)) expect(ended).toEqual({ code: 0, output: "done\n" });
  expect(sandbox.requests.length).toBe(120);
  expect(sandbox.requests.filter(({ status }) => status === 429)).toEqual([]);
}, 60_000);
