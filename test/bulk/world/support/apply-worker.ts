// Applies a plan in a separate process on the test's time: node apply-worker.ts <address> <token> <plan> <settleMs>
// <now> <step at which the process is killed, or 0>
import { isEducationAdminError, MainClient } from "education-admin-sdk";
import { apply } from "education-admin-sdk/bulk";
import { fetchIn } from "./service-process.ts";
import { SkippingClock } from "./skipping-clock.ts";

const [baseUrl = "", apiKey = "", path = "", settleMs, now, killAt] = process.argv.slice(2);
const clock = new SkippingClock(Number(now));
const send = fetchIn(clock);
let steps = 0;
const step = () => {
  if (++steps === Number(killAt)) process.kill(process.pid, "SIGKILL");
};
const client = new MainClient({
  baseUrl,
  apiKey,
  rateLimit: false,
  retry: { limit: 2 },
  clock,
  fetch: async (...request) => {
    step();
    const response = await send(...request);
    step();
    return response;
  },
});
const result = await apply(client, path, { settleMs: Number(settleMs) }).catch((error: unknown) => {
  if (!isEducationAdminError(error)) throw error;
  return error.message;
});
process.stdout.write(JSON.stringify({ result, now: clock.now() }));
