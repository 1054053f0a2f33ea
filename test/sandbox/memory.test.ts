import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { ask } from "./support.js";

// Makes the garbage collector available, as --expose-gc does.
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heap(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

test("a thousand sandboxes in one process, each after one response, take less than 150 kB each", {
  timeout: 240_000,
}, async () => {
  const use = async (sandbox: Sandbox) => {
    const body = JSON.stringify({ name: "x" });
    expect((await ask(sandbox, "api/v1/accounts", { method: "POST", body })).status).toBe(201);
  };
  await use(createSandbox({ size: "small" }));
  const before = heap();
  const sandboxes: Sandbox[] = [];
  for (let at = 0; at < 1_000; at++) {
    const sandbox = createSandbox({ size: "small" });
    await use(sandbox);
    sandboxes.push(sandbox);
  }
  const each = (heap() - before) / sandboxes.length;
  expect(sandboxes[999]?.store.accounts.count).toBe(26);
  expect(each).toBeLessThan(150_000);
});
