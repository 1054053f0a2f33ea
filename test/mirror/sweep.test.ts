import { describe, expect, test } from "vitest";
import { AdminClient, MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { copyOf, recordsOf } from "./support/copies.js";

describe("a first sweep", () => {
  test("copies every list with one request per 100 records", async () => {
    const sandbox = createSandbox({ size: 250, skipWaits: true });
    const client = new MainClient(sandbox);
    const { copy, records } = copyOf(sandbox, client);
    const report = await copy.sync();
    expect(report.lists.filter(({ complete }) => !complete)).toEqual([]);
    expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
    expect(records("enrollments")).toEqual(recordsOf(sandbox.store.enrollments));
    const expected = report.lists.reduce((sum, { read }) => sum + Math.max(1, Math.ceil(read / 100)), 0);
    expect(report.requests).toBe(expected);
    expect(sandbox.requests.length).toBe(expected);
  });

  test("copies the lists of the Admin API", async () => {
    const sandbox = createSandbox({ size: 20, skipWaits: true });
    const { copy } = copyOf(sandbox, new AdminClient(sandbox));
    const report = await copy.sync();
    expect(report.lists.filter(({ complete }) => !complete)).toEqual([]);
    expect(report.lists.map(({ list }) => list)).toContain("departments");
    expect(report.lists.map(({ list }) => list)).toContain("organization.contacts");
  });
});
