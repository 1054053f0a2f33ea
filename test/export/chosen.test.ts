import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exportTo } from "../../src/export/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { joinPart } from "../../src/work/same.js";
import { failure } from "../support/manual-clock.js";

const options = { format: "csv", columns: ["number", "account.email", "total_open"] } as const;

test("chosen records and their referenced records become rows; the export cannot continue with another choice", async () => {
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

test("an interrupted export with a filter that depends on the date continues on that day and starts again on another", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "chosen-")), "open.ndjson");
  const sandbox = createSandbox({ size: "small" });
  const client = new MainClient(sandbox);
  const listOn = (day: string) => {
    const filter = () => true;
    filter.toString = () => joinPart("due<today", `due<${day}`);
    return client.invoices.list({ per_page: 2 }, { prefetch: 0 }).filter(filter);
  };
  const ndjson = { format: "ndjson", limit: 10 } as const;
  const interrupt = () => {
    const onProgress = () => void sandbox.faults.next({ operation: "invoices.list", status: 404 });
    return failure(exportTo(file, listOn("2026-07-01"), { ...ndjson, onProgress }));
  };
  await interrupt();
  const resume = true;
  expect(await exportTo(file, listOn("2026-07-01"), { ...ndjson, resume })).toMatchObject({ resumed: true });
  await interrupt();
  const next = await exportTo(file, listOn("2026-07-02"), { ...ndjson, resume });
  expect(next).toMatchObject({ resumed: false, records: 10 });
});

test("the caller's records become rows: an array's, and a generator's, which is read during the export", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "chosen-")), "rows.csv");
  const exportToCsv = async (records: AsyncIterable<object> | Iterable<object>, more = {}) => {
    const result = await exportTo(file, records, { format: "csv", csv: { delimiter: ";" }, ...more });
    return [result.records, result.pages, result.total, readFileSync(file, "utf8")];
  };
  expect(
    await exportToCsv([
      { name: "A;B", sum: 1 },
      { name: null, more: 2 },
    ]),
  ).toEqual([2, 1, 2, 'name;sum;more\r\n"A;B";1;\r\n;;2\r\n']);
  expect(await exportToCsv([], { columns: ["name"] })).toEqual([0, 1, 0, "name\r\n"]);
  let made = 0;
  async function* numbers(): AsyncGenerator<{ n: number }> {
    for (;;) yield { n: made++ };
  }
  const [records, pages, total, text] = await exportToCsv(numbers(), {
    columns: { twice: ({ n }: { n: number }) => 2 * n },
    limit: 150,
  });
  expect([records, pages, total, String(text).split("\r\n")[150], made]).toEqual([150, 2, null, "298", 201]);
});

test("without columns, CSV includes the joined records' fields, and their texts stay texts", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "chosen-")), "joined.csv");
  const sandbox = createSandbox({ size: "small" });
  const client = new MainClient(sandbox);
  for await (const { id } of client.accounts.list()) await client.accounts.update(id, { name: "2.10" });
  const list = client.invoices
    .list({ status: ["open"] })
    .with({ account: true })
    .filter(() => true);
  await exportTo(file, list.take(1), { format: "csv", csv: { delimiter: ";" } });
  const [header = "", row = ""] = readFileSync(file, "utf8").split("\r\n");
  const cells = Object.fromEntries(header.split(";").map((name, at) => [name, row.split(";")[at]]));
  expect(cells).toMatchObject({ "account.name": "2.10", total_open: expect.stringMatching(/^\d+\.\d+$/) });
});
