import type { Schema } from "../../src/core/schema/traits.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { schemaNames } from "../lib/names.ts";
import type { ExampleRecords } from "./resource-pages.ts";

/** Sandbox records for the schemas of responses, by exported name. */
export function exampleRecords(exported: Readonly<Record<string, unknown>>): ExampleRecords {
  const names = schemaNames(exported);
  const make = createSandbox({ size: "small" }).make as unknown as Readonly<Record<string, () => unknown>>;
  return (schema) => {
    const name = (names.get(schema as Schema) ?? "").replace(/Schema$/, "");
    const record = make[name]?.();
    if (record === undefined) throw new Error(`The sandbox makes no ${name || "record of a schema that has no name"}`);
    return record;
  };
}
