import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../src/cli/main.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { testFolder } from "./support/folder.js";

test("a person at a terminal does not wait for the next window where a run fits into this one", async () => {
  const at = testFolder();
  const sandbox = createSandbox({ size: "small" });
  const { url, close } = await listen(sandbox, { port: 0 });
  onTestFinished(() => close());
  const rows = Array.from({ length: 260 }, (_, n) => `new-${n}@example.com,New,Person ${n}`);
  writeFileSync(at("new.csv"), `email,first_name,last_name\n${rows.join("\n")}\n`);
  const env = { EDUCATION_ADMIN_BASE_URL: url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  let text = "";
  const output = {
    isTTY: true,
    write: (more: string) => {
      text += more;
    },
  };
  const run = (...args: string[]) => runCli(["bulk", ...args], { env, stdout: output, stderr: output });
  expect(await run("plan", "users", at("new.csv"), "--key", "email", "--to", at("new.plan")), text).toBe(0);
  expect(await run("apply", at("new.plan"), "--yes"), text).toBe(0);
  expect(text).toContain("260 created");
  expect(text).not.toContain("the run's share of the rate limit");
});
