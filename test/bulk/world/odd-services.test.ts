import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runJob, TROUBLES } from "./support/job.js";
import { KINDS } from "./support/kinds.js";
import { ServiceProcess } from "./support/service-process.js";
import { judge } from "./support/verdict.js";

let services: ServiceProcess;
beforeAll(async () => {
  services = await ServiceProcess.start();
});
afterAll(() => services.stop());

// Each kind of service with each third trouble; many-odd-services.test.ts tries all, five times each.
const SEED = 1;
const troublesOf = (at: number) => TROUBLES.filter((_, index) => (index + at) % 3 === 0);

describe.each(KINDS.map((kind, at) => [kind.name, kind, at] as const))("a service with %s", (_, kind, at) => {
  test.each(troublesOf(at).map((trouble) => [trouble.name, trouble] as const))(
    "ends in no silent double and says nothing false: %s",
    async (_, trouble) => {
      expect(judge(await runJob(services, kind, trouble, 100 * at + SEED)).broken).toEqual([]);
    },
  );
});
