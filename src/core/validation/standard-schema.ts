import type { DriftKind } from "../events.js";
import type { Mismatch } from "./issues.js";

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

/** What a Standard Schema answers: the parsed value, or issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing wrong with a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type of the value that a Standard Schema parses. */
export type StandardOutput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/** Parses a value with a schema of the caller's own, of any library. */
export async function parseWith(
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
