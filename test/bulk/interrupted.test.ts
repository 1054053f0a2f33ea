import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { apply, plan } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { drawCases } from "../support/amount.js";
import { testFolder } from "./support/folder.js";
import { copies, each, people } from "./support/school.js";

const CLI = fileURLToPath(new URL("../../dist/cli/cli.js", import.meta.url));

test.each(drawCases(["SIGINT", "SIGTERM"] as const, 1))(
  "%s ends bulk apply, which releases its lock and says how to continue",
  async (signal) => {
    const at = testFolder();
    const sandbox = createSandbox({ size: "small" });
    const { url, close } = await listen(sandbox, { port: 0 });
    onTestFinished(() => close());
    const client = new MainClient({ baseUrl: url, apiKey: sandbox.apiKey });
    const { digest } = await plan(client.users, people(3), { to: at("a.plan"), key: "email" });
    sandbox.faults.next({ operation: "users.create", delayMs: 600_000 });
    const env = { ...process.env, EDUCATION_ADMIN_BASE_URL: url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
    const child = spawn(process.execPath, [CLI, "bulk", "apply", at("a.plan"), "--confirm", digest], { env });
    onTestFinished(() => void child.kill("SIGKILL"));
    let told = "";
    child.stderr.on("data", (text) => {
      told += String(text);
    });
    const ended = once(child, "close");
    await expect.poll(() => sandbox.calls("users.create").length, { timeout: 30_000 }).toBe(1);
    child.kill(signal);
    expect(await ended).toEqual([null, signal]);
    expect(told).toBe("Interrupted: the same command continues from here\n");
    expect(existsSync(at("a.plan.lock")), "the lock exists").toBe(false);
    sandbox.faults.clear();
    expect(await apply(client, at("a.plan"), { settleMs: 0 })).toMatchObject({ created: 3, complete: true });
    expect(copies(sandbox)).toEqual(each(3));
  },
);
