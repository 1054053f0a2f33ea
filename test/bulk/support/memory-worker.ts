// Plans the rows of a CSV file: node --expose-gc memory-worker.ts <file> <plan>. Prints how many bytes were live at the
// start and at the peak.
import { MainClient } from "education-admin-sdk";
import { plan, readCsv } from "education-admin-sdk/bulk";
import { createSandbox } from "education-admin-sdk/sandbox";

const [file = "", to = ""] = process.argv.slice(2);
const EVERY = 20_000;
const client = new MainClient(createSandbox({ size: "small", skipWaits: true }));

/** The bytes that live objects occupy. The process's size is no measure, because V8 decides when it returns memory. */
function alive(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const warm = [{ email: "warm@example.com", first_name: "A", last_name: "B" }];
await plan(client.users, warm, { to: `${to}.warm`, key: "email" });
const before = alive();
let most = 0;
const { create } = await plan(client.users, readCsv(file), {
  to,
  key: "email",
  onProgress: ({ rows }) => {
    if (rows % EVERY === 0) most = Math.max(most, alive());
  },
});
console.log(JSON.stringify({ create, before, most }));
