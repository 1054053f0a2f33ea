import { expect, test } from "vitest";
import type { DriftEvent, ResponseFormatError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";

const { fetch } = recordingFetch(() => jsonResponse(accountRecord(9)));

test("a record other than the requested one is reported once per operation and returned unchanged", async () => {
  const drift: DriftEvent[] = [];
  const { accounts } = mainClient({ fetch, on: { drift: (event) => drift.push(event) } });
  for (const id of [7, 8, 9]) expect((await accounts.get(id)).id).toBe(9);
  await accounts.update(7, { name: "Example" });
  expect(drift.map(({ operation, field, kind }) => [operation, field, kind])).toEqual([
    ["accounts.get", "id", "other_record"],
    ["accounts.update", "id", "other_record"],
  ]);
});

test("strict validation refuses it, and leaves the outcome of a write unknown", async () => {
  const { accounts } = mainClient({ fetch, validation: "strict" });
  expect((await accounts.get(9)).id).toBe(9);
  for (const call of [accounts.get(7), accounts.update(7, { name: "Example" })]) {
    const error = await failure<ResponseFormatError>(call);
    expect(error).toMatchObject({ name: "ResponseFormatError", outcome: "unknown" });
    expect(error.message).toMatch(/the response to the request for 7 is another record; a cache or a proxy/);
  }
});
