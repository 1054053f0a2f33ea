import { afterAll, beforeAll, expect, test } from "vitest";
import { drawCases } from "../../support/amount.js";
import { testFolder } from "../support/folder.js";
import { programsHere, reachedIn, START } from "./support/job.js";
import { checkReport } from "./support/lied.js";
import { LIED } from "./support/lies.js";
import { processes } from "./support/processes.js";
import { ServiceProcess } from "./support/service-process.js";

let services: ServiceProcess;
beforeAll(async () => {
  services = await ServiceProcess.start();
});
afterAll(() => services.stop());

// There is a step before and after each request or line; the sixth and the seventh belong to the first write.
const KILLS = [[6, 9], [7], [12, 5], [16]] as const;

test.each(
  drawCases(LIED, 8).map(
    (lied, at) =>
      [
        lied.method,
        lied.name,
        lied.isComputed ? "to a computed change" : lied.everyOther ? "every other time" : "always",
        lied,
        at,
      ] as const,
  ),
)(
  "a service of another process that responds to %s with success and %s, %s, is not believed by programs that are killed",
  async (_, _name, _how, lied, at) => {
    const file = testFolder();
    for (const [turn, kills] of [[], ...KILLS].entries()) {
      const token = await services.make({ lied, start: START });
      const { before } = await services.lying(token);
      const service = {
        reached: reachedIn(services, token),
        before,
        stored: async () => (await services.lying(token)).now,
      };
      // Starting a process takes half a second, so only one job in ten runs in separate processes.
      const isReal = (at + turn) % 10 === 0;
      const programs = (name: string) =>
        isReal ? processes(services, file(name)) : programsHere((key) => reachedIn(services, key));
      const found = await checkReport(lied, service, [programs(`${turn}.plan`), programs(`${turn}.back`)], kills);
      expect(found, `killed at ${kills}`).toEqual([]);
    }
  },
);
