import { afterAll, beforeAll, expect, test } from "vitest";
import { seeds } from "../../support/amount.js";
import { runJob, TROUBLES } from "./support/job.js";
import { KINDS } from "./support/kinds.js";
import { ServiceProcess } from "./support/service-process.js";
import { judge } from "./support/verdict.js";

const SEEDS = seeds("bulk/odd-services", 1, 5);

let services: ServiceProcess;
beforeAll(async () => {
  services = await ServiceProcess.start();
});
afterAll(() => services.stop());

test("none of many jobs on odd services leaves an unreported duplicate, apart from the documented remainder", async () => {
  const broken: string[] = [];
  const remainder: Record<string, number> = {};
  const most = { requests: 0, name: "" };
  for (const [at, kind] of KINDS.entries()) {
    for (const trouble of TROUBLES) {
      for (const seed of SEEDS) {
        const done = await runJob(services, kind, trouble, 1_000_000 + 10_000 * at + seed);
        const verdict = judge(done);
        broken.push(...verdict.broken);
        for (const name of verdict.remainder) remainder[name] = (remainder[name] ?? 0) + 1;
        const requests = done.log.requests.length;
        if (requests > most.requests) Object.assign(most, { requests, name: done.name });
      }
    }
  }
  console.log(
    `${KINDS.length * TROUBLES.length * SEEDS.length} jobs: ${JSON.stringify(remainder)}; most requests: ${JSON.stringify(most)}`,
  );
  expect(broken).toEqual([]);
}, 3_600_000);
