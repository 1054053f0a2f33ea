import { describe, expect, it } from "vitest";
import { InvoiceStatus } from "../../src/schemas.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";

function client() {
  const { fetch, calls } = recordingFetch(({ init }) => jsonResponse(init.method === "GET" ? [] : { id: 7 }));
  return { calls, client: mainClient({ fetch, validation: "off" }) };
}

/** A stand-in for Temporal.Instant, which some supported versions of Node lack. */
const instant = (text: string) => ({
  [Symbol.toStringTag]: "Temporal.Instant",
  epochMilliseconds: Date.parse(text),
  toString: () => text,
  toJSON: () => text,
});

describe("readonly arrays", () => {
  it("are accepted as filters, enumeration values and frozen arrays included", async () => {
    const { client: main, calls } = client();
    await main.invoices.list({ status: InvoiceStatus.values }).toArray();
    await main.invoices.list({ status: ["open"] as const }).toArray();
    await main.invoices.list({ status: Object.freeze(["open", "paid"] as const) }).toArray();
    expect(calls.map(({ url }) => url.searchParams.getAll("status"))).toEqual([
      [...InvoiceStatus.values],
      ["open"],
      ["open", "paid"],
    ]);
  });

  it("are accepted in bodies", async () => {
    const { client: main, calls } = client();
    const label_ids: readonly number[] = Object.freeze([1, 2]);
    await main.accounts.create({ name: "A", label_ids });
    expect(JSON.parse(calls[0]?.body ?? "")).toEqual({ name: "A", label_ids: [1, 2] });
  });
});

describe("a single value for an array filter", () => {
  it("is sent as one parameter", async () => {
    const { client: main, calls } = client();
    await main.invoices.list({ status: "open" }).toArray();
    expect(calls[0]?.url.searchParams.getAll("status")).toEqual(["open"]);
  });
});

describe("a date and time", () => {
  const WIRE = "2026-03-29T08:30:00.000Z";

  for (const [what, value, wire] of [
    ["without seconds' fractions, as Temporal writes it", "2026-03-29T08:30:00Z", WIRE],
    ["with milliseconds", WIRE, WIRE],
    ["as a Date", new Date(WIRE), WIRE],
    ["as a Temporal.Instant", instant("2026-03-29T08:30:00Z"), WIRE],
    ["as a Temporal.Instant with nanoseconds", instant("2026-03-29T08:30:00.123456789Z"), "2026-03-29T08:30:00.123Z"],
  ] as const) {
    it(`is sent in the service's format: ${what}`, async () => {
      const { client: main, calls } = client();
      await main.meetings.list({ start: value as Date }).toArray();
      expect(calls[0]?.url.searchParams.get("start")).toBe(wire);
    });
  }

  for (const wrong of ["2026-02-30T08:30:00Z", "2026-03-29T08:30", "2026-03-29", "2026-03-29 08:30:00Z", "tomorrow"]) {
    it(`is refused if it is invalid: ${wrong}`, async () => {
      const { client: main, calls } = client();
      expect(await failure(async () => main.meetings.list({ start: wrong }).toArray())).toMatchObject({
        code: "input",
      });
      expect(calls).toHaveLength(0);
    });
  }
});
