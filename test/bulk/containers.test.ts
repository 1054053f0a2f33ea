import { execFile } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { apply, plan } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { needs, pathOf } from "../support/tools.js";
import { testFolder } from "./support/folder.js";
import { connection, copies, each, people } from "./support/school.js";

const WORKER = fileURLToPath(new URL("support/apply-worker.ts", import.meta.url));

test("if two containers share a folder, only one of them applies the plan", {
  ...needs("pids"),
  timeout: 240_000,
}, async () => {
  const at = testFolder();
  // The sandbox uses the machine's clock, because the other process runs in real time.
  const sandbox = createSandbox({ size: "small" });
  const client = new MainClient(connection(sandbox));
  await plan(client.users, people(3), { to: at("a.plan"), key: "email" });
  const gate = new EventTarget();
  const [reached, opened] = [once(gate, "reached"), once(gate, "opened")];
  const fetch: typeof sandbox.fetch = async (...request) => {
    gate.dispatchEvent(new Event("reached"));
    await opened;
    return sandbox.fetch(...request);
  };
  const first = apply(new MainClient({ ...connection(sandbox), fetch }), at("a.plan"));
  await reached;
  const command = ["-Urpf", "--mount-proc", process.execPath, WORKER, sandbox.baseUrl, at("a.plan")];
  const second = await promisify(execFile)(pathOf("pids"), command).catch((error: unknown) => error);
  expect(second).toMatchObject({
    stderr: expect.stringContaining(`in use by process ${process.pid} of another container or machine`),
  });
  gate.dispatchEvent(new Event("opened"));
  expect(await first).toMatchObject({ created: 3 });
  expect(copies(sandbox)).toEqual(each(3));
});
