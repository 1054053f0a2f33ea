// Carries out one act in a process that a test kills: node act-worker.ts <address> <marks> <act> <id> <settleMs>
// <requests after which the machine's clock is set back an hour, or 0>
import { MainClient } from "education-admin-sdk";
import * as acts from "education-admin-sdk/acts";
import { actsOf } from "./acts-of.ts";

const [baseUrl = "", marks = "", act = "", id = "0", settleMs = "0", backAt = "0"] = process.argv.slice(2);
let requests = 0;
let aheadMs = 0;
const now = Date.now;
Date.now = () => now() + aheadMs;
const client = new MainClient({
  baseUrl,
  apiKey: "key",
  rateLimit: false,
  timeout: 1_000,
  retry: { limit: 0 },
  fetch: (...request) => {
    if (++requests === Number(backAt)) aheadMs = -3_600_000;
    return fetch(...request);
  },
});
const result = await actsOf(acts, client)[act]?.(Number(id), { marks, settleMs: Number(settleMs) });
console.log(JSON.stringify(result));
