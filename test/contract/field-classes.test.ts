import { describe, expect, test } from "vitest";
import { fieldClasses as written } from "../../scripts/lib/field-classes.js";
import { readSources, type SourceIndex } from "../../scripts/lib/source-index.js";
import { fieldClasses } from "../../src/generated/field-classes.js";
import { allOperations, notesOf } from "../../src/operations.js";
import * as schemas from "../../src/schemas.js";
import { PERSONAL } from "../assistant/support/personal-fields.js";
import records from "./data/records.json" with { type: "json" };

const CLASS_OF: Readonly<Record<string, string>> = {
  names: "name",
  contact: "contact",
  numbers: "number",
  notes: "note",
  custom: "custom",
  never: "document",
};

interface Described {
  readonly fields?: Readonly<Record<string, { readonly type: string }>>;
}

const fieldsOf = (schema: string) =>
  Object.values(fieldClasses[schema] ?? {}).flatMap((fields) => fields?.split(" ") ?? []);

// The library's schema for a record with this name in the service's data.
const schemaOf = (record: string) => `${record.slice(0, 1).toLowerCase()}${record.slice(1)}Schema`;

describe("classes of fields", () => {
  test("cover every field of every record of the contract exactly once, except fields that contain records", () => {
    const missing: string[] = [];
    for (const [record, { fields = {} }] of Object.entries(records.records as Readonly<Record<string, Described>>)) {
      // The Admin API's schema of a record contains the fields that only this API returns.
      const schemaName = schemaOf(record);
      const known = [schemaName, `admin${record}Schema`].map(fieldsOf);
      for (const names of known) expect(new Set(names).size).toBe(names.length);
      for (const [field, { type }] of Object.entries(fields)) {
        const [named = ""] = /[A-Z]\w+/.exec(type) ?? [];
        const holdsRecords = type.includes("{") || named in records.records;
        if (!holdsRecords && !known.flat().includes(field)) missing.push(`${schemaName}.${field}: ${type}`);
      }
    }
    expect(missing).toEqual([]);
  });

  test("mark every field that may identify a person", () => {
    for (const [part, names] of Object.entries(PERSONAL)) {
      for (const name of names.split(/\s+/)) {
        const [schema = "", field = ""] = name.split(".");
        const found = Object.entries(fieldClasses[schema] ?? {}).find(([, fields]) =>
          fields?.split(" ").includes(field),
        );
        expect(`${name}: ${found?.[0] ?? "gone: take it out of personal-fields.ts"}`).toBe(
          `${name}: ${CLASS_OF[part]}`,
        );
      }
    }
  });

  test("stop the generator if they are unknown, or missing for a new text field", () => {
    const tables = { operations: allOperations, notesOf };
    const sources = readSources();
    const withMark = (mark: string | null): SourceIndex => ({
      ...sources,
      schema(name) {
        const found = sources.schema(name);
        const phone = name === "accountSchema" && found?.fields.get("phone");
        return found && phone ? { ...found, fields: new Map([...found.fields, ["phone", { ...phone, mark }]]) } : found;
      },
    });
    expect(() => written(tables, schemas, withMark(null))).toThrow("accountSchema.phone: has no class");
    expect(() => written(tables, schemas, withMark("telephone"))).toThrow(
      'accountSchema.phone: "telephone" is not a class',
    );
    expect(() => written(tables, schemas, withMark("contact"))).not.toThrow();
  });
});
