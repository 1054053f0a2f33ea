import { expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import { drawCases } from "../support/amount.js";
import { programsHere, START } from "./world/support/job.js";
import { checkReport } from "./world/support/lied.js";
import { LIED, LyingSchool } from "./world/support/lies.js";
import { timeOf } from "./world/support/sandbox-time.js";

// world/lying-services.test.ts runs the same lies in another process, with kills.
test.each(
  drawCases(LIED, 6).map(
    (lied) =>
      [
        lied.method,
        lied.name,
        lied.isComputed ? "to a computed change" : lied.everyOther ? "every other time" : "always",
        lied,
      ] as const,
  ),
)("a service that responds to %s with success and %s, %s, is not believed", async (_, _name, _how, lied) => {
  const sandbox = createSandbox({ size: "small", now: new Date(START), rateLimit: false });
  const school = new LyingSchool(sandbox, lied);
  const reached = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, send: timeOf(school).send };
  const programs = () => programsHere(() => reached);
  const service = { reached, before: school.before, stored: async () => school.snapshot() };
  expect(await checkReport(lied, service, [programs(), programs()], [])).toEqual([]);
});
