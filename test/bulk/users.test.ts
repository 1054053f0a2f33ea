import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { apply, plan, readCsv, rowsOf, writeReport } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bulk-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const at = (name: string) => join(folder, name);

test("creates, corrects and leaves users from a CSV file", async () => {
  const sandbox = createSandbox({ size: "small", skipWaits: true });
  const client = new MainClient(sandbox);
  const [first, second] = await client.users.list().toArray({ max: 2 });
  const csv = [
    "E-mail,First name,Last name,Phone of mother",
    `${first?.email.toUpperCase()},Ada,${first?.last_name},1`,
    `${second?.email},${second?.first_name},${second?.last_name},2`,
    "new@example.com,New,Person,3",
    ",Without,Key,4",
  ].join("\n");
  writeFileSync(at("students.csv"), `${csv}\n`);

  const summary = await plan(client.users, readCsv(at("students.csv")), {
    to: at("students.plan"),
    key: "email",
    columns: { email: "E-mail", first_name: "First name", last_name: "Last name" },
  });
  expect(summary).toMatchObject({ create: 1, update: 1, leave: 1, refuse: 1 });
  expect(sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  expect(statSync(at("students.plan")).mode & 0o777).toBe(0o600);

  const before = sandbox.requests.length;
  const report = await apply(client, at("students.plan"), { confirm: summary.digest });
  expect(report).toMatchObject({ created: 1, updated: 1, unchanged: 1, refused: 1, complete: false });
  expect(sandbox.requests.length - before).toBe(summary.requests);
  expect(report.requests).toBe(summary.requests);
  expect((await client.users.get(first?.id ?? 0)).first_name).toBe("Ada");

  // If the plan is applied again, nothing is sent.
  const sent = sandbox.requests.length;
  await apply(client, at("students.plan"));
  expect(sandbox.requests.length).toBe(sent);

  const outcomes: unknown[] = [];
  for await (const { row, outcome } of rowsOf(at("students.plan"))) outcomes.push([row, outcome]);
  expect(outcomes).toEqual([
    [2, "updated"],
    [3, "unchanged"],
    [4, "created"],
    [5, "refused"],
  ]);
  await writeReport(at("students.plan"), at("result.csv"));
  const lines = readFileSync(at("result.csv"), "utf8").split(/\r?\n/);
  expect(lines[0]).toBe("E-mail,First name,Last name,Phone of mother,_row,_outcome,_id,_reason");
  expect(lines[3]).toMatch(/^new@example\.com,New,Person,3,4,created,\d+,$/);
});
