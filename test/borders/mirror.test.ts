import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { MainClient } from "../../src/index.js";
import { mirror, sqlite } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { copyOf, recordsOf } from "../mirror/support/copies.js";

test("two copies of the package write to one file in turn", async () => {
  vi.resetModules();
  const other = await import("../../src/mirror/index.js");
  vi.resetModules();
  const folder = mkdtempSync(join(tmpdir(), "borders-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "copy.sqlite");
  const sandbox = createSandbox({ size: 20, skipWaits: true });
  const make = (
    module: Pick<typeof other, "mirror" | "sqlite">,
    resources: readonly ["accounts"] | readonly ["users"],
  ) =>
    module.mirror(new MainClient(sandbox), module.sqlite(new DatabaseSync(path)), {
      resources,
      clock: sandbox.clock,
      share: 1,
    });
  const copies = [make({ mirror, sqlite } as never, ["accounts"]), make(other, ["users"])];
  const reports = await Promise.all(copies.map((copy) => copy.sync()));
  expect(reports.map(({ complete }) => complete)).toEqual([true, true]);
});

test.each([
  ["throw", () => void fail()],
  ["reject", async () => fail()],
])("observers of a mirror that %s change nothing", async (_, observer) => {
  const rejected: unknown[] = [];
  const note = (reason: unknown) => void rejected.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  const sandbox = createSandbox({ size: 20, skipWaits: true });
  const { copy, records } = copyOf(sandbox, new MainClient(sandbox), { resources: ["accounts"], onReport: observer });
  expect((await copy.sync({ onProgress: observer })).complete).toBe(true);
  expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
  const stop = new AbortController();
  const running = copy.run({ signal: stop.signal }).catch((error: unknown) => error);
  await sandbox.clock.advance(7_200_000);
  stop.abort(new Error("enough"));
  expect(await running).toEqual(new Error("enough"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(rejected).toEqual([]);
});

function fail(): never {
  throw new Error("mine");
}
