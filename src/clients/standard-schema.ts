import type { ResponseParser } from "../core/drift/response-validator.js";
import type { DriftKind } from "../core/events.js";
import type { Mismatch } from "../core/schema/issues.js";

/**
 * The part of the Standard Schema interface that the library calls; zod, valibot, arktype and others implement it.
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The result of a Standard Schema: the parsed value, or issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One problem with a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type of the value that a Standard Schema returns. */
export type StandardOutput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/**
 * Makes a response parser from a caller's schema. It checks the response, or each record of a list. A value that
 * matches is replaced by the value that the schema returns; with validation `report`, other values are reported and
 * returned unchanged.
 */
export function parserOf(schema: StandardSchema): ResponseParser {
  return async (operation, data, validation, validator) => {
    if (validation.mode === "off") return data;
    const isPage = Boolean(operation.paged);
    const values: readonly unknown[] = isPage ? (data as readonly unknown[]) : [data];
    const accepted: unknown[] = [];
    for (const [index, value] of values.entries()) {
      const { mismatches, parsed } = await parseWith(schema, value);
      if (mismatches.length === 0) {
        accepted.push(parsed);
        continue;
      }
      const verdict = validator.judge(operation, value, isPage ? index : null, mismatches, validation);
      if (verdict === "differs") accepted.push(value);
    }
    return isPage ? accepted : accepted[0];
  };
}

async function parseWith(
  schema: StandardSchema,
  value: unknown,
): Promise<{ readonly parsed: unknown; readonly mismatches: readonly Mismatch[] }> {
  const result = await schema["~standard"].validate(value);
  if (!result.issues) return { parsed: result.value, mismatches: [] };
  const mismatches = result.issues.map(({ path = [], message }) => {
    const keys = path.map((part) => (typeof part === "object" ? part.key : part));
    return { path: keys, kind: kindAt(value, keys), message };
  });
  return { parsed: undefined, mismatches };
}

function kindAt(root: unknown, path: readonly PropertyKey[]): DriftKind {
  let value = root;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  if (value === undefined) return "missing_field";
  return value === null ? "unexpected_null" : "wrong_type";
}
