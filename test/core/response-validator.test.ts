import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import { type ResponseValidation, ResponseValidator } from "../../src/core/drift/response-validator.js";
import { ResponseValidationError } from "../../src/core/errors.js";
import type { DriftEvent } from "../../src/core/events.js";
import type { Operation } from "../../src/core/operation.js";
import { enumeration, model } from "../../src/core/schema/model.js";

const Colour = enumeration(["red"], { complete: false });
const response = model(() => ({ id: z.unknown(), name: z.string(), colour: z.optional(Colour.open) }));
const get: Operation = { id: "rooms.get", method: "GET", path: "rooms/{id}", apis: ["main"], response };
const create: Operation = { ...get, id: "rooms.create", method: "POST", path: "rooms" };

const good = { id: 7, name: "North" };
const grown = { ...good, added: 1 };
const wrong = { ...good, name: 7 };

const events: DriftEvent[] = [];
const optionsOf = (more: Partial<ResponseValidation> = {}): ResponseValidation => ({
  mode: "report",
  onInvalid: "throw",
  attempts: 2,
  report: (event) => void events.push(event),
  clean: (text) => text,
  ...more,
});
const strict = optionsOf({ mode: "strict" });

function world() {
  events.length = 0;
  const validator = new ResponseValidator({ drift: () => undefined });
  const drift = () => events.splice(0).map(({ field, kind }) => `${kind} ${field}`);
  return { events, validator, drift };
}

function refusal(work: () => unknown): ResponseValidationError {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ResponseValidationError);
    return error as ResponseValidationError;
  }
  throw new Error("it should be refused");
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a record", () => {
  it("is returned unchanged, with one event per difference", () => {
    const { events, validator, drift } = world();
    expect(validator.record(get, good, optionsOf())).toBe(good);
    expect(events).toEqual([]);
    expect(validator.record(get, wrong, optionsOf())).toBe(wrong);
    expect(events).toEqual([
      { operation: "rooms.get", method: "GET", path: "rooms/{id}", field: "name", kind: "wrong_type" },
    ]);
    events.length = 0;
    validator.record(get, { ...wrong, added: 1 }, optionsOf());
    expect(drift()).toEqual(["unknown_field added"]);
    validator.record(create, wrong, optionsOf());
    expect(drift()).toEqual(["wrong_type name"]);
  });

  it("is reported again for another kind of difference in the same field", () => {
    const { validator, drift } = world();
    validator.record(get, { ...good, name: null }, optionsOf());
    validator.record(get, { ...good, name: null }, optionsOf());
    validator.record(get, wrong, optionsOf());
    expect(drift()).toEqual(["unexpected_null name", "wrong_type name"]);
  });

  it("is reported once for all items of an array", () => {
    const { validator, drift } = world();
    validator.record(
      { ...get, response: model(() => ({ tags: z.array(z.string()) })) },
      { tags: ["a", 7, 8] },
      optionsOf(),
    );
    expect(drift()).toEqual(["wrong_type tags[]"]);
  });

  it("is not checked if validation is off or the operation has no schema", () => {
    const { validator, drift } = world();
    const { response: _, ...bare } = get;
    for (const [row, validation] of [
      [get, optionsOf({ mode: "off" })],
      [bare, optionsOf()],
      [bare, strict],
    ] as const) {
      expect(validator.record(row, wrong, validation)).toBe(wrong);
      const records = [wrong];
      expect(validator.records(row, records, validation)).toBe(records);
    }
    expect(drift()).toEqual([]);
  });

  it("that strict validation refuses causes an error, whatever onInvalid is, and no event", () => {
    const { validator, drift } = world();
    for (const onInvalid of ["throw", "skip"] as const) {
      refusal(() => validator.record(get, wrong, { ...strict, onInvalid }));
    }
    expect(drift()).toEqual([]);
    expect(validator.record(get, grown, strict)).toBe(grown);
    expect(validator.record(get, { ...good, colour: "blue" }, strict)).toEqual({ ...good, colour: "blue" });
    expect(drift()).toEqual(["unknown_field added", "unknown_value colour"]);
  });
});

describe("the error of strict validation", () => {
  it("names the operation, the record and each field, without values", () => {
    const { validator } = world();
    const error = refusal(() => validator.records(get, [good, { ...wrong, added: 1 }], strict));
    expect(error).toMatchObject({ operation: "rooms.get", attempts: 2, index: 1, id: 7, outcome: null });
    expect(error.issues).toEqual([{ path: "name", message: "must be text" }]);
    expect(error.raw).toEqual({ ...wrong, added: 1 });
    expect(error.message).toBe(
      'rooms.get: the response does not match its schema (record 1 of the page, id 7): name must be text. Validation "report" returns such records instead.',
    );
  });

  it("states after a write that the write is done", () => {
    const error = refusal(() => world().validator.record(create, wrong, strict));
    expect(error).toMatchObject({ outcome: "done", index: null });
    expect(error.message).toContain("schema (id 7): name must be text. The service has processed the request");
  });

  it.each<[what: string, record: unknown, id: unknown, said: string]>([
    ["a number", wrong, 7, "schema (id 7): name"],
    ["text", { id: "a7", name: 7 }, "a7", "schema (id a7): name"],
    ["text of 100 characters", { id: "i".repeat(100), name: 7 }, "i".repeat(100), `schema (id ${"i".repeat(100)})`],
    ["longer text", { id: "i".repeat(101), name: 7 }, null, "schema: name"],
    ["an object", { id: {}, name: 7 }, null, "schema: name"],
    ["missing", { name: 7 }, null, "schema: "],
    ["that of nothing", null, null, "schema: must not be null."],
  ])("has the record's id if it is %s", (_, record, id, said) => {
    const error = refusal(() => world().validator.record(get, record, strict));
    expect(error.id).toBe(id);
    expect(error.message).toContain(said);
  });

  it("has text of the response without sensitive values", () => {
    const clean = (text: string) => text.replace("canary", "***");
    const error = refusal(() => world().validator.record(get, { id: "canary", name: 7 }, { ...strict, clean }));
    expect(error.id).toBe("***");
  });

  it("names five fields and counts the others", () => {
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const row = (count: number): Operation => ({
      ...get,
      response: model(() => Object.fromEntries(names.slice(0, count).map((name) => [name, z.string()]))),
    });
    const messageOf = (count: number) => refusal(() => world().validator.record(row(count), {}, strict)).message;
    expect(messageOf(5)).toContain("a is missing; b is missing; c is missing; d is missing; e is missing. Validation");
    expect(messageOf(7)).toContain("; e is missing and 2 more. Validation");
  });
});

describe("the records of a page", () => {
  it("are returned unchanged, in the same array", () => {
    const { validator } = world();
    for (const validation of [optionsOf(), strict, { ...strict, onInvalid: "skip" as const }]) {
      const records = [good, grown];
      expect(validator.records(get, records, validation)).toBe(records);
    }
  });

  it("are returned without those that strict validation refuses, with skip", () => {
    const { validator, drift } = world();
    const records = [good, wrong, grown, wrong, good];
    expect(validator.records(get, records, { ...strict, onInvalid: "skip" })).toEqual([good, grown, good]);
    expect(records).toHaveLength(5);
    expect(drift().sort()).toEqual(["unknown_field added", "wrong_type name"]);
    expect(validator.records(get, [wrong], { ...strict, onInvalid: "skip" })).toEqual([]);
  });

  it("are left out at most 1,000 times, after which skip throws", () => {
    const page = (count: number) => [...Array.from({ length: count }, () => wrong), good];
    const { validator } = world();
    expect(validator.records(get, page(1_000), { ...strict, onInvalid: "skip" })).toEqual([good]);
    expect(refusal(() => validator.records(get, page(1_001), { ...strict, onInvalid: "skip" })).index).toBe(1_000);
  });

  it("are checked up to the thousandth in report mode, and all in strict mode", () => {
    const page = (at: number) => Array.from({ length: at + 1 }, (_, index) => (index === at ? wrong : good));
    const { validator, drift } = world();
    validator.records(get, page(1_000), optionsOf());
    expect(drift()).toEqual([]);
    validator.records(get, page(999), optionsOf());
    expect(drift()).toEqual(["wrong_type name"]);
    expect(refusal(() => validator.records(get, page(1_000), strict)).index).toBe(1_000);
  });

  it("are checked until a hundred differed in new ways; strict mode still refuses later ones", () => {
    const page = (count: number) => Array.from({ length: count }, (_, at) => ({ ...good, [`n${at}`]: 1 }));
    const { validator, drift } = world();
    validator.records(get, [...page(99), wrong], optionsOf());
    expect(drift()).toContain("wrong_type name");
    validator.records(create, [...page(100), wrong], optionsOf());
    expect(drift()).not.toContain("wrong_type name");
    expect(refusal(() => validator.records(get, [...page(100), grown, wrong], strict)).index).toBe(101);
  });
});

describe("without an observer", () => {
  it("one warning describes the first difference that can break a program", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const validator = new ResponseValidator({});
    validator.record(get, { ...grown, colour: "blue" }, optionsOf());
    expect(warn).not.toHaveBeenCalled();
    validator.record(get, wrong, optionsOf());
    validator.record(get, { ...good, colour: 7 }, optionsOf());
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toContain(
      "rooms.get returned a record that differs from its type (name: wrong_type)",
    );
  });

  it("a client that observes drift causes none", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    world().validator.record(get, wrong, optionsOf());
    expect(warn).not.toHaveBeenCalled();
  });
});

it("raw requests to ever new paths are all checked", () => {
  const { validator, drift } = world();
  for (let at = 0; at < 250; at++) validator.record({ ...get, id: `GET rooms/${at}` }, wrong, optionsOf());
  expect(drift()).toHaveLength(250);
  for (let at = 0; at < 250; at++) validator.record({ ...get, id: `GET rooms/${at}` }, wrong, optionsOf());
  expect(drift()).toEqual([]);
});
