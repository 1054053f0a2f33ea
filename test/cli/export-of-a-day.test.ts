import { expect, test } from "vitest";
import { listOf } from "../../src/cli/connection.js";
import { LISTS } from "../../src/cli/operations.js";
import type { Terminal } from "../../src/cli/terminal.js";
import { resumableList } from "../../src/export/resumable.js";
import { conditionsOf } from "../../src/work/conditions.js";

const environment = { EDUCATION_ADMIN_BASE_URL: "https://school.example", EDUCATION_ADMIN_API_KEY: "key" };

test("lists are the same for an export that is continued where their conditions are", async () => {
  const exportOf = async (where: string, day = "2026-07-01") => {
    const zone = "UTC";
    const conditions = [conditionsOf(where, { now: Date.parse(`${day}T12:00:00Z`), zone })];
    const found = LISTS.find("invoices", null);
    const values = { where: conditions };
    const terminal = { env: environment } as unknown as Terminal;
    const list = listOf({ ...found, parameters: [], query: {}, rest: [], values }, terminal, {}, () => undefined);
    const { identity, today } = await resumableList(list);
    return { identity, today };
  };
  const first = await exportOf("total_open>0");
  expect(first.today).toBe("");
  expect(await exportOf(" total_open > 0 ", "2026-07-02")).toEqual(first);
  expect((await exportOf("total_open>1")).identity).not.toBe(first.identity);
  // The export of another day has the same identity, but starts again.
  const week = await exportOf("expiration_date<today-7");
  const dayAfter = await exportOf("expiration_date<today-7", "2026-07-02");
  expect(dayAfter.identity).toBe(week.identity);
  expect(dayAfter.today).not.toBe(week.today);
  expect(await exportOf("expiration_date<today-7")).toEqual(week);
  expect((await exportOf("expiration_date<2026-06-24")).identity).not.toBe(week.identity);
});
