import { describe, expect, it } from "vitest";
import { PageWriter } from "../../src/export/format.js";
import { type ExportState, otherExport, parseState } from "../../src/export/state.js";

const STATE: ExportState = {
  version: 1,
  operation: "accounts.list",
  list: "hash",
  today: "hash of the day",
  key: "hash of the key",
  format: "{}",
  columns: null,
  absent: [],
  checkpoint: "after 20",
  records: 0,
  pages: 0,
  size: 0,
  crc: 0,
};

describe("the state of an unfinished export", () => {
  it("can be read back", () => {
    for (const state of [
      STATE,
      { ...STATE, columns: ["id", "name"], records: 7, pages: 1, size: 90, crc: 2 ** 32 - 1 },
    ]) {
      expect(parseState(JSON.stringify(state))).toEqual(state);
    }
    expect(parseState(null)).toBeNull();
  });

  it("is ignored if it is cut off anywhere", () => {
    const text = JSON.stringify({ ...STATE, columns: ["id"] });
    for (let length = 0; length < text.length; length++) expect(parseState(text.slice(0, length))).toBeNull();
  });

  it("is ignored if it has another content", () => {
    for (const text of ["null", "7", '"text"', "[]", "{}"]) expect(parseState(text)).toBeNull();
  });

  it.each<[keyof ExportState, readonly unknown[]]>([
    ["version", [0, 2, "1", null, undefined]],
    ["operation", [7, null, undefined]],
    ["list", [7, null, undefined]],
    ["today", [7, null, undefined]],
    ["key", [7, null, undefined]],
    ["format", [{}, null, undefined]],
    ["checkpoint", [7, null, undefined]],
    ["columns", ["id", 7, {}, [7], ["id", null], undefined]],
    ["absent", ["id", [7], null, undefined]],
    ["records", [-1, 0.5, "1", null, 2 ** 53]],
    ["pages", [-1, 0.5, "1", null, undefined]],
    ["size", [-1, 0.5, "1", null, undefined]],
    ["crc", [-1, 0.5, "1", null, undefined]],
  ])("is ignored if its %s is impossible", (name, values) => {
    for (const value of values) expect(parseState(JSON.stringify({ ...STATE, [name]: value }))).toBeNull();
  });

  it("identifies the other export that it belongs to", () => {
    const { operation, list, today, key, format } = STATE;
    expect(otherExport(STATE, { operation, list, today, key, format })).toBeNull();
    expect(otherExport(STATE, { operation: "users.list", list: "x", today, key, format: "x" })).toBe(
      "of accounts.list",
    );
    expect(otherExport(STATE, { operation, list: "x", today, key, format: "x" })).toContain("different filters");
    expect(otherExport(STATE, { operation, list, today, key, format: "x" })).toContain("in another format");
    expect(otherExport(STATE, { operation, list, today: "x", key: "x", format })).toBeNull();
  });
});

describe("the settings on which the bytes of an export depend", () => {
  const identity = (...args: ConstructorParameters<typeof PageWriter>) => JSON.parse(new PageWriter(...args).identity);
  const columns = [{ header: "Town", path: "address.city", kind: "text", read: () => null }] as const;

  it("are the format, the compression and the columns", () => {
    expect(identity("ndjson", null, {}, false)).toEqual({ format: "ndjson", gzip: false, columns: null });
    expect(identity("ndjson", columns, {}, true)).toEqual({
      format: "ndjson",
      gzip: true,
      columns: [["Town", "address.city"]],
    });
  });

  it("include for CSV the delimiter, even if it is the default", () => {
    const csv = { format: "csv", gzip: false, columns: [["Town", "address.city"]] };
    expect(identity("csv", columns, {}, false)).toEqual({ ...csv, delimiter: "," });
    expect(identity("csv", columns, { delimiter: ";" }, false)).toEqual({ ...csv, delimiter: ";" });
  });
});
