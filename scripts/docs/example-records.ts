import { createSandbox } from "../../src/sandbox/index.ts";
import type { ExampleRecords } from "./resource-pages.ts";

/** Records of a sandbox for the schemas of responses, by the names under which they are exported. */
export function exampleRecords(exported: Readonly<Record<string, unknown>>): ExampleRecords {
  const names = new Map(Object.entries(exported).map(([name, schema]) => [schema, name.replace(/Schema$/, "")]));
  const make = createSandbox({ size: "small" }).make as unknown as Readonly<Record<string, () => unknown>>;
  return (schema) => {
    const name = names.get(schema) ?? "";
    const record = make[name]?.();
    if (record === undefined) throw new Error(`The sandbox makes no ${name || "record of a schema that has no name"}`);
    return record;
  };
}
