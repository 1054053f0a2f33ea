import { expect, it } from "vitest";
import { type ResponseValidation, ResponseValidator } from "../../src/core/drift/response-validator.js";
import type { Operation } from "../../src/core/operation.js";
import type { DriftEvent } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import { growsWithItsSize } from "../support/processor-time.js";
import { contactRecord, invoiceRecord } from "../support/records.js";

const rowOf = (id: string): Operation => allOperations.find((row) => row.id === id) as Operation;
const contacts = rowOf("organization.contacts.list");

const events: DriftEvent[] = [];
const validation = (over: Partial<ResponseValidation> = {}): ResponseValidation => ({
  mode: "report",
  onInvalid: "throw",
  attempts: 1,
  report: (event) => void events.push(event),
  clean: (text) => text,
  ...over,
});

function observe(): { validator: ResponseValidator; events: DriftEvent[] } {
  events.length = 0;
  return { validator: new ResponseValidator({ drift: () => undefined }), events };
}

const growingRecord = (at: number): object => ({ ...contactRecord(at + 1), [`f${at}`]: at });

it("a page of records with a new field each takes time proportional to its length and is returned unchanged", async () => {
  const look = (length: number) => {
    const page = Array.from({ length }, (_, at) => ({ [`f${at}`]: 1 }));
    return () => {
      const { validator, events } = observe();
      expect(validator.records(contacts, page, validation())).toBe(page);
      expect(page[length - 1]).toEqual({ [`f${length - 1}`]: 1 });
      expect(events.map(({ field }) => field)).toContain("f0");
    };
  };
  expect(await growsWithItsSize(look, 150_000), "time in proportion to the page").toBe(true);
});

it.each(["report", "strict"] as const)(
  "a record with differing items takes time proportional to their number, and the error is one of the library (%s)",
  async (mode) => {
    const check = (length: number) => {
      const items = Array.from({ length }, (_, at) => ({ [`f${at}`]: 1 }));
      const record = { ...invoiceRecord(), invoice_items: items };
      return () => {
        const look = () => observe().validator.record(rowOf("invoices.get"), record, validation({ mode }));
        if (mode === "report") expect(look()).toBe(record);
        else expect(look).toThrow(expect.objectContaining({ code: "response_validation", id: record.id }));
      };
    };
    expect(await growsWithItsSize(check, 100_000), "time in proportion to the items").toBe(true);
  },
);

it("a record with 50,000 new fields reports the first 1,000 and passes strict validation", () => {
  const record = {
    ...contactRecord(),
    ...Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`f${at}`, 1])),
  };
  const { validator, events } = observe();
  expect(validator.record(contacts, record, validation({ mode: "strict" }))).toBe(record);
  expect(events).toHaveLength(1_000);
});

it("report mode checks the first 1,000 records of a page", () => {
  const bad = (differing: number) =>
    Array.from({ length: 1_100 }, (_, at) => (at === differing ? { ...contactRecord(), email: 7 } : contactRecord()));
  const { validator, events } = observe();
  validator.records(contacts, bad(1_000), validation());
  expect(events).toEqual([]);
  validator.records(contacts, bad(999), validation());
  expect(events).toEqual([expect.objectContaining({ field: "email", kind: "wrong_type" })]);
});

it("report mode stops after 100 records of a page that differ in new ways, and starts again with the next page", () => {
  const { validator, events } = observe();
  const page = (from: number) => Array.from({ length: 500 }, (_, at) => growingRecord(from + at));
  validator.records(contacts, page(0), validation());
  expect(events).toHaveLength(100);
  validator.records(contacts, page(500), validation());
  expect(events).toHaveLength(200);
});

it("strict mode checks every record of a page, however many differ in new fields", () => {
  const page: object[] = Array.from({ length: 3_000 }, (_, at) => growingRecord(at));
  const { validator } = observe();
  expect(validator.records(contacts, page, validation({ mode: "strict" }))).toBe(page);
  page[2_900] = { ...growingRecord(2_900), email: 7 };
  expect(() => validator.records(contacts, page, validation({ mode: "strict" }))).toThrow(
    expect.objectContaining({ index: 2_900, issues: [expect.objectContaining({ path: "email" })] }),
  );
});

it("skip leaves out at most 1,000 records of a page and then throws", () => {
  const page = (refused: number) =>
    Array.from({ length: 2_000 }, (_, at) => (at < refused ? { ...contactRecord(at), email: 7 } : contactRecord(at)));
  const { validator } = observe();
  const skipping = validation({ mode: "strict", onInvalid: "skip" });
  expect(validator.records(contacts, page(1_000), skipping)).toEqual(page(0).slice(1_000));
  expect(() => validator.records(contacts, page(1_001), skipping)).toThrow(expect.objectContaining({ index: 1_000 }));
});

it("raw requests report a difference once per path, although each path is a new operation", () => {
  const { validator, events } = observe();
  for (let at = 0; at < 300; at++) {
    const row = { ...contacts, id: `GET api/organization/contacts/${at}` };
    validator.record(row, { ...contactRecord(), email: 7 }, validation());
    validator.record({ ...row }, { ...contactRecord(), email: 7 }, validation());
  }
  expect(events).toHaveLength(300);
});
