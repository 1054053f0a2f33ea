import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exportTo } from "../../src/export/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { failure } from "../support/manual-clock.js";

const options = { format: "csv", columns: ["number", "account.email", "total_open"] } as const;

test("chosen records with what they refer to become rows, in an export that another choice does not continue", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "chosen-")), "open.csv");
  const sandbox = createSandbox({ size: "small" });
  const client = new MainClient(sandbox);
  const joined = client.invoices.list({ status: ["open"], per_page: 2 }, { prefetch: 0 }).with({ account: true });
  const open = joined.filter(({ total_open }) => Number(total_open) > 0);
  const expected = await open.toArray();
  const { records, total } = await exportTo(file, open, options);
  expect([records, total]).toEqual([expected.length, null]);
  const rows = readFileSync(file, "utf8").trim().split("\r\n").slice(1);
  expect(rows).toEqual(expected.map(({ number, account, total_open }) => [number, account?.email, total_open].join()));
  expect((await exportTo(file, open.take(1), options)).records).toBe(1);

  const onProgress = () => void sandbox.faults.next({ operation: "invoices.list", status: 404 });
  await failure(exportTo(file, open, { ...options, onProgress }));
  const other = joined.filter(({ total_open }) => Number(total_open) > 1);
  expect(await failure(exportTo(file, other, { ...options, resume: true }))).toMatchObject({ code: "checkpoint" });
  expect((await exportTo(file, open, { ...options, resume: true })).records).toBe(expected.length);
});
