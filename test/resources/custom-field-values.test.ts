import { describe, expect, test } from "vitest";
import type { DriftEvent } from "../../src/index.js";
import { accountSchema, customRecordSchema } from "../../src/schemas.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { issuesOf, wire } from "./support/wire.js";

const PROMISED = {
  text: "care",
  number: 7.5,
  flag: false,
  day: "2030-07-01",
  several: ["a", "b"],
  empty: [],
  none: null,
};

const answering = (custom: unknown) => recordingFetch(() => jsonResponse({ ...accountRecord(), custom })).fetch;

describe("values of custom fields are checked against their type", () => {
  test("strict validation accepts every type of value, under any slug", async () => {
    const account = await mainClient({ fetch: answering(PROMISED), validation: "strict" }).accounts.get(7);
    expect(account.custom).toEqual(PROMISED);
  });

  test.each([
    ["an object", { nested: true }],
    ["an array of numbers", [1, 2]],
    ["an array with null", ["a", null]],
  ])("strict validation refuses %s", async (_, value) => {
    const client = mainClient({ fetch: answering({ ...PROMISED, sector: value }), validation: "strict" });
    const error = await failure(client.accounts.get(7));
    expect(error.name).toBe("ResponseValidationError");
    expect(error.message).toContain("custom.sector");
    expect(error.message).not.toContain("nested");
  });

  test("report returns another value unchanged and reports its field", async () => {
    const events: DriftEvent[] = [];
    const fetch = answering({ sector: { nested: true } });
    const account = await mainClient({ fetch, on: { drift: (event) => events.push(event) } }).accounts.get(7);
    expect(account.custom).toEqual({ sector: { nested: true } });
    expect(events.map(({ field, kind }) => ({ field, kind }))).toEqual([
      { field: "custom.sector", kind: "wrong_type" },
    ]);
  });

  test("the exported schemas behave in the same way", () => {
    const record = { id: 1, active: true, display_name: "Projector" };
    expect(customRecordSchema.safeParse({ ...record, properties: PROMISED })).toMatchObject({ success: true });
    expect(customRecordSchema.safeParse({ ...record, properties: { a: { b: 1 } } }).success).toBe(false);
    expect(accountSchema.safeParse({ ...accountRecord(), custom: { a: [1] } }).success).toBe(false);
  });
});

describe("values of custom fields that are sent", () => {
  test("may be undefined, and are then omitted as in every body", async () => {
    const { main, body } = wire();
    await main.accounts.create({ name: "A", custom: { sector: undefined, size: 3 } as never });
    expect(body()).toBe('{"name":"A","custom":{"size":3}}');
    await main.courses.update(7, { custom_associations: { rooms: undefined, teams: [1] } as never });
    expect(body()).toBe('{"custom_associations":{"teams":[1]}}');
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, { nested: true }, new Date(0)])(
    "%s is not a valid value, and the message names the valid ones",
    async (rate) => {
      const { main, calls } = wire();
      const issues = await issuesOf(main.accounts.create({ name: "A", custom: { rate } as never }));
      expect(issues).toEqual([
        { path: "custom.rate", message: "must be text, a finite number, true or false, a list of strings, or null" },
      ]);
      expect(calls).toEqual([]);
    },
  );
});
