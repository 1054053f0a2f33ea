import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/lib/generated.ts";

test("the public surface matches the reports in api/", { timeout: 180_000 }, () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/api/api.ts"], { cwd: ROOT, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
