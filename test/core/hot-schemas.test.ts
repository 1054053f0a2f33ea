import { afterEach, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import type { DriftEvent, ResponseValidationError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { accountRecord } from "../support/records.js";

afterEach(() => {
  z.config({ jitless: false });
});

// Starts to count the functions that are generated from text.
function countGenerated(): () => number {
  const { Function: real } = globalThis;
  let generated = 0;
  vi.stubGlobal(
    "Function",
    new Proxy(real, {
      construct(target, parts, newTarget) {
        generated++;
        return Reflect.construct(target, parts, newTarget);
      },
    }),
  );
  return () => {
    vi.unstubAllGlobals();
    return generated;
  };
}

// Serves ten pages of a hundred records. The middle record of the last page has the fields in `odd`.
function pagesWith(odd: object): ReturnType<typeof recordingFetch> {
  return recordingFetch(({ index }) => {
    const records: object[] = Array.from({ length: 100 }, (_, at) => accountRecord(index * 100 + at + 1));
    if (index === 9) records[50] = { ...records[50], ...odd };
    const more = `<https://school.example/api/v1/accounts?cursor=${index + 2}>; rel="next"`;
    return jsonResponse(records, 200, index < 9 ? { link: more } : {});
  });
}

const ODD = { users_count: "many", address: { ...accountRecord().address, city: 7 } };

test("a compiled schema finds the same differences as an interpreted one", async () => {
  const { fetch } = pagesWith(ODD);
  // All clients in a process share compiled schemas, so this loads fresh modules, which have none yet.
  vi.resetModules();
  const { mainClient: freshClient } = await import("../support/clients.js");
  const counted = countGenerated();
  const error = await freshClient({ fetch, validation: "strict" })
    .accounts.list()
    .toArray()
    .then(
      () => null,
      (reason: ResponseValidationError) => reason,
    );
  expect(counted(), "functions generated").toBeGreaterThan(0);
  expect(error).toMatchObject({ code: "response_validation", index: 50, id: 951 });
  expect(error?.issues).toEqual([
    { path: "users_count", message: "must be a number" },
    { path: "address.city", message: "must be text" },
  ]);
});

test("a hot schema in report mode reports once and returns every record unchanged", async () => {
  const { fetch } = pagesWith(ODD);
  const reported: DriftEvent[] = [];
  const client = mainClient({ fetch, on: { drift: (event) => reported.push(event) } });
  const records = await client.accounts.list().toArray();
  expect(records).toHaveLength(1_000);
  expect(records[950]).toEqual({ ...accountRecord(951), ...ODD });
  expect(reported.map(({ field, kind }) => `${field} ${kind}`)).toEqual([
    "users_count wrong_type",
    "address.city wrong_type",
  ]);
});

test("if the host configured zod as jitless, no code is generated and the errors are the same", async () => {
  z.config({ jitless: true });
  const { fetch } = pagesWith(ODD);
  const counted = countGenerated();
  const records = mainClient({ fetch, validation: "strict" }).accounts.list().toArray();
  await expect(records).rejects.toMatchObject({ code: "response_validation", index: 50, id: 951 });
  expect(counted()).toBe(0);
});
