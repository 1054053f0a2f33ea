import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { OperationId } from "../../src/index.js";
import { createSandbox, type Fault } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { drawCases } from "../support/amount.js";

const CLI = fileURLToPath(new URL("../../dist/cli/cli.js", import.meta.url));
const HANGS = { delayMs: 600_000 };
const LOOK = "The service may have carried out the request. Check before you send it again: education-admin-sdk";

const CASES: readonly [NodeJS.Signals, string, OperationId, Partial<Fault>, string][] = [
  ["SIGINT", "create labels name=New model_type=Order", "labels.create", HANGS, `${LOOK} list labels`],
  ["SIGTERM", "update accounts 7 name=New", "accounts.update", HANGS, `${LOOK} get accounts 7`],
  ["SIGINT", "do invoices.open 7", "invoices.open", HANGS, `${LOOK} get invoices 7`],
  [
    "SIGINT",
    "create labels name=New model_type=Order",
    "labels.create",
    { retryAfter: 600 },
    "Nothing was carried out",
  ],
];

test.each(drawCases(CASES, 2))(
  "%s during %s names the write that may have been carried out",
  async (signal, command, operation, fault, says) => {
    const sandbox = createSandbox({ size: "small" });
    const { url, close } = await listen(sandbox);
    onTestFinished(() => close());
    sandbox.faults.next({ operation, ...fault });
    const env = { ...process.env, EDUCATION_ADMIN_BASE_URL: url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
    const child = spawn(process.execPath, [CLI, ...command.split(" "), "--yes"], { env });
    onTestFinished(() => void child.kill("SIGKILL"));
    let told = "";
    child.stderr.on("data", (text) => {
      told += String(text);
    });
    const ended = once(child, "close");
    await expect.poll(() => sandbox.calls(operation).length).toBe(1);
    // Once the command prints that it waits, it has received the 429.
    if ("retryAfter" in fault) await expect.poll(() => told).toContain("the service asked to wait");
    child.kill(signal);
    expect(await ended).toEqual([null, signal]);
    expect(told.trimEnd().split("\n").at(-1)).toBe(`Interrupted. ${says}`);
  },
);
