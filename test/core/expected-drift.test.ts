import { expect, test } from "vitest";
import type { DriftEvent } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { accountRecord } from "../support/records.js";

test("a new field that only some records have is reported once, and its absence is not drift", async () => {
  const reported: DriftEvent[] = [];
  const records = [{ ...accountRecord(1), new_field: true }, accountRecord(2), { ...accountRecord(3), new_field: 3 }];
  const { fetch } = recordingFetch(({ index }) => jsonResponse(records[index]));
  const client = mainClient({ fetch, on: { drift: (event) => reported.push(event) } });
  for (const { id } of records) await client.accounts.get(id);
  expect(reported.map(({ field, kind }) => `${field} ${kind}`)).toEqual(["new_field unknown_field"]);
});
