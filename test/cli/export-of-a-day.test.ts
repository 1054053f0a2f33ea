import { expect, onTestFinished, test, vi } from "vitest";
import { listOf } from "../../src/cli/connection.js";
import { LISTS } from "../../src/cli/operations.js";
import type { Terminal } from "../../src/cli/terminal.js";
import { resumableList } from "../../src/export/resumable.js";
import { parseCondition } from "../../src/work/fields/condition.js";
import { parsePath } from "../../src/work/fields/path.js";

const environment = { EDUCATION_ADMIN_BASE_URL: "https://school.example", EDUCATION_ADMIN_API_KEY: "key" };

test("two exports count as the same list if their conditions are the same", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const exportOf = async (where: string, day = "2026-07-01") => {
    vi.setSystemTime(`${day}T12:00:00Z`);
    const found = LISTS.find("invoices", null);
    const conditions = [parseCondition(where, (path) => parsePath(path, found.operation.response))];
    const values = { where: conditions, zone: "UTC" };
    const terminal = { env: environment } as unknown as Terminal;
    const asked = { ...found, parameters: [], query: {}, rest: [], values };
    const { pages } = await listOf(asked, terminal, {}, () => undefined);
    const { identity, today } = await resumableList(pages);
    return { identity, today };
  };
  const first = await exportOf("total_open>0");
  expect(first.today).toBe("");
  expect(await exportOf(" total_open > 0 ", "2026-07-02")).toEqual(first);
  expect((await exportOf("total_open>1")).identity).not.toBe(first.identity);
  // The export of another day has the same identity, but starts over.
  const week = await exportOf("expiration_date<today-7");
  const dayAfter = await exportOf("expiration_date<today-7", "2026-07-02");
  expect(dayAfter.identity).toBe(week.identity);
  expect(dayAfter.today).not.toBe(week.today);
  expect(await exportOf("expiration_date<today-7")).toEqual(week);
  expect((await exportOf("expiration_date<2026-06-24")).identity).not.toBe(week.identity);
});
