import { describe, expect, it, test } from "vitest";
import * as z from "zod/mini";
import { check, formatPath } from "../../src/core/schema/issues.js";
import { enumeration, model } from "../../src/core/schema/model.js";
import { strictSchema } from "../../src/core/schema/strict-schema.js";
import type { DriftEvent, InputError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";

test("a field name of any length is shortened to 100 characters in a path and in events", async () => {
  expect(formatPath(["items", 0, "n".repeat(5_000)])).toBe(`items[0].${"n".repeat(100)}`);
  const { fetch } = recordingFetch(() => jsonResponse({ ...accountRecord(), ["n".repeat(5_000)]: 1 }));
  const events: DriftEvent[] = [];
  await mainClient({ fetch, on: { drift: (event) => events.push(event) } }).accounts.get(7);
  expect(events.map(({ field }) => field)).toEqual(["n".repeat(100)]);
});

describe("the values of a record with arbitrary keys", () => {
  const Colour = enumeration(["red", "blue"]);
  const keyed = model(() => ({
    by_slug: z.record(
      z.string(),
      model(() => ({ colour: Colour.open })),
    ),
  }));

  it("are closed as well", () => {
    const { mismatches } = check(strictSchema(keyed, "report"), {
      by_slug: { a: { colour: "green", extra: 1 } },
    });
    expect(mismatches.map(({ path, kind }) => `${path.join(".")} ${kind}`).sort()).toEqual([
      "by_slug.a.colour unknown_value",
      "by_slug.a.extra unknown_field",
    ]);
  });

  it("are closed in an input", () => {
    const { mismatches } = check(strictSchema(keyed, "input"), { by_slug: { a: { colour: "red", extra: 1 } } });
    expect(mismatches.map(({ path, message }) => ({ path: path.join("."), message }))).toEqual([
      { path: "by_slug.a.extra", message: "is not a known field" },
    ]);
  });

  it("are checked in an input before it is sent", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    const custom_associations = { a: [1], b: [2, 0] };
    const error = await failure<InputError>(mainClient({ fetch }).courses.update(5, { custom_associations } as never));
    expect(error.issues.map(({ path }) => path)).toEqual(["custom_associations.b[1]"]);
    expect(calls).toEqual([]);
  });
});
