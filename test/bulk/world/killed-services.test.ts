import { afterAll, beforeAll, expect, test } from "vitest";
import { drawCases } from "../../support/amount.js";
import { testFolder } from "../support/folder.js";
import { runJob, TROUBLES } from "./support/job.js";
import { KINDS } from "./support/kinds.js";
import { processes } from "./support/processes.js";
import { ServiceProcess } from "./support/service-process.js";
import { judge } from "./support/verdict.js";

let services: ServiceProcess;
beforeAll(async () => {
  services = await ServiceProcess.start();
});
afterAll(() => services.stop());

// Draws some of the cases, because running all of them takes minutes.
const KILLED = drawCases(
  TROUBLES.filter(({ kills }) => kills > 0),
  1,
  1,
);
const CHOSEN = drawCases(
  KINDS.map((kind, at) => [kind.name, kind, at] as const),
  2,
  KINDS.length / 4,
);

test.each(CHOSEN)(
  "processes ended by SIGKILL leave no unreported duplicate in a service with %s, and their files say nothing false",
  async (_, kind, at) => {
    const file = testFolder();
    for (const [turn, trouble] of KILLED.entries()) {
      const programs = processes(services, file(`${turn}.plan`));
      expect(judge(await runJob(services, kind, trouble, 100 * at + turn, programs)).broken).toEqual([]);
    }
  },
);
