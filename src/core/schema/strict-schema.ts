import * as z from "zod/mini";
import { NO_MESSAGES, NOT_SHOWN } from "./issues.js";
import { dictionary } from "./model.js";
import { type EnumerationTraits, type Schema, traitsOf, withChecksOf } from "./traits.js";

/**
 * The purpose of a strict schema.
 * - `report`: every difference in a record that the service returned, new fields included.
 * - `strict`: only the differences that strict validation refuses. New fields and unknown values of incomplete
 * enumerations pass.
 * - `input`: a caller's input to an operation. Unknown fields are refused; cast values pass.
 * - `received`: the input that a server accepts. Like `input`, but cast values are refused unless they are known
 * values.
 */
export type StrictKind = "report" | "strict" | "input" | "received";

// Schemas are module-level constants, so the schemas derived from them are shared by all clients in a process.
const derived: Readonly<Record<StrictKind, WeakMap<Schema, Schema>>> = {
  report: /* @__PURE__ */ new WeakMap(),
  strict: /* @__PURE__ */ new WeakMap(),
  input: /* @__PURE__ */ new WeakMap(),
  received: /* @__PURE__ */ new WeakMap(),
};

/**
 * Derives a schema from a public schema, which is loose: the kind decides which objects and enumerations are closed.
 */
export function strictSchema(schema: Schema, kind: StrictKind): Schema {
  const found = derived[kind].get(schema) ?? derive(schema, kind, z.array);
  derived[kind].set(schema, found);
  return found;
}

/**
 * Like {@link strictSchema}, but checks of arrays stop at the 100th difference: zod would describe all, which takes a
 * minute for half a million items. This schema cannot be compiled and does not convert the items of arrays.
 */
export function limitedSchema(schema: Schema, kind: StrictKind): Schema {
  return derive(schema, kind, limitedArray);
}

function derive(schema: Schema, kind: StrictKind, array: (item: Schema) => z.ZodMiniType): Schema {
  const traits = traitsOf(schema);
  const deriveInner = (inner: Schema) => derive(inner, kind, array);
  switch (traits.kind) {
    case "object": {
      // Made from entries, because assigning a field called __proto__ would set the prototype.
      const fields = Object.entries(traits.fields).map(([name, field]) => [name, deriveInner(field)] as const);
      const shape: Record<string, z.core.SomeType> = Object.fromEntries(fields);
      const isOpen = traits.open || kind === "strict";
      return withChecksOf(schema, isOpen ? z.looseObject(shape) : z.strictObject(shape));
    }
    case "array": {
      const item = deriveInner(traits.item);
      return item === traits.item && array === z.array ? schema : withChecksOf(schema, array(item));
    }
    case "record":
      return withChecksOf(schema, dictionary(deriveInner(traits.value)));
    case "nullable":
      return z.nullable(deriveInner(traits.inner));
    case "optional":
      return z.optional(deriveInner(traits.inner));
    case "enumeration":
      return strictEnumeration(schema, traits, kind);
    case "variants":
      return traits.of(traits.options.map(deriveInner));
    case "union": {
      const options = traits.options.map(deriveInner);
      // If no option changes, the union is kept with its own message.
      const same = options.every((option, index) => option === traits.options[index]);
      return same ? schema : withChecksOf(schema, z.union(options));
    }
    default:
      return schema;
  }
}

const MOST_ARRAY_ISSUES = 100;

function limitedArray(item: Schema): z.ZodMiniType {
  return z.array(z.unknown()).check(({ value, issues }) => {
    let found = 0;
    for (let index = 0; index < value.length && found < MOST_ARRAY_ISSUES; index++) {
      const { error } = z.safeParse(item, value[index], NO_MESSAGES);
      for (const issue of error?.issues ?? []) {
        found++;
        issues.push({ ...issue, input: value[index], path: [index, ...issue.path] } as z.core.$ZodRawIssue);
      }
    }
  });
}

function strictEnumeration(schema: Schema, { values, complete, open }: EnumerationTraits, kind: StrictKind): Schema {
  if (!open) return kind === "received" && complete ? z.enum(values) : schema;
  if (complete) return z.enum(values);
  return kind === "report" ? z.enum(values, NOT_SHOWN) : schema;
}
