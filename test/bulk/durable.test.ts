import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { plan } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { needs, pathOf } from "../support/tools.js";
import { testFolder } from "./support/folder.js";
import { copies, each, people } from "./support/school.js";

const WORKER = fileURLToPath(new URL("support/apply-worker.ts", import.meta.url));
const ROWS = 60;
const CALLS = "pwrite64,fsync,write,writev,sendto,sendmsg";

/**
 * Reads a trace of system calls. @returns the rows whose creates were sent, and those among them that were sent before
 * their lines were on disk.
 */
function readTrace(trace: string): { sent: Set<number>; early: number[] } {
  const lines = new Set<number>();
  const durable = new Set<number>();
  const sent = new Set<number>();
  const early: number[] = [];
  // The rows that each thread's unfinished system call writes or syncs.
  const begun = new Map<string, readonly number[]>();
  for (const text of trace.split("\n")) {
    const [, thread = "", rest = ""] = /^(\d+)\s+(.*)$/.exec(text) ?? [];
    const [, resumed] = /^<\.\.\. (\w+) resumed>/.exec(rest) ?? [];
    const name = resumed ?? /^\w+/.exec(rest)?.[0];
    const isPlan = /^\w+\(\d+<[^>]*a\.plan>/.test(rest);
    if (!resumed && name === "pwrite64" && isPlan) begun.set(thread, rowsIn(rest, /\{\\"row\\":(\d+),\\"try\\":/g));
    if (!resumed && name === "fsync" && isPlan) begun.set(thread, [...lines]);
    for (const row of isPlan || resumed ? [] : rowsIn(rest, /new-(\d+)@example\.com/g)) {
      sent.add(row);
      if (!durable.has(row)) early.push(row);
    }
    if (/ = \d+$/.test(rest) && (name === "pwrite64" || name === "fsync")) {
      for (const row of begun.get(thread) ?? []) (name === "pwrite64" ? lines : durable).add(row);
      begun.delete(thread);
    }
  }
  return { sent, early };
}

const rowsIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, row]) => Number(row));

test("the line of a row has been synced to disk before the row's request is sent", {
  ...needs("strace"),
  timeout: 300_000,
}, async () => {
  const at = testFolder();
  const sandbox = createSandbox({ size: "small", rateLimit: false, apiKey: "key" });
  const { url, close } = await listen(sandbox, { port: 0 });
  onTestFinished(() => close());
  await plan(new MainClient({ baseUrl: url, apiKey: "key" }).users, people(ROWS), { to: at("a.plan"), key: "email" });
  const options = ["-f", "-qq", "-y", "-s", "65536", "-e", `trace=${CALLS}`, "-e", "signal=none", "-o", at("trace")];
  const worker = spawn(pathOf("strace"), [...options, process.execPath, WORKER, url, at("a.plan"), "100"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  expect(await once(worker, "exit")).toEqual([0, null]);
  expect(copies(sandbox)).toEqual(each(ROWS));
  const { sent, early } = readTrace(readFileSync(at("trace"), "utf8"));
  expect(sent.size).toBe(ROWS);
  expect(early).toEqual([]);
});
