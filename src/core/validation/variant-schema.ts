import * as z from "zod/mini";
import { type Schema, type VariantTraits, variantNames } from "./traits.js";

/** What tells the forms of an object apart. */
export type Variants = Pick<VariantTraits, "discriminator" | "options">;

/** A schema that accepts objects of the listed forms and no others. */
export function knownVariant(discriminator: string, options: readonly Schema[]): z.ZodMiniType {
  return z.discriminatedUnion(discriminator, options as unknown as [z.ZodMiniObject]);
}

/**
 * A schema that accepts objects of the listed forms, and objects of other forms with any fields.
 * @param known the schema of the listed forms.
 * @param kind what the discriminator of another form must be.
 */
export function variantOr(
  known: z.core.SomeType,
  { discriminator, options }: Variants,
  kind: z.core.SomeType,
): z.ZodMiniType {
  // The names are read late, because reading a model builds it.
  const other = z.looseObject({ [discriminator]: kind }).check(({ value, issues }) => {
    const isKnown = variantNames({ discriminator, options }).includes(value[discriminator] as string);
    if (isKnown) issues.push({ code: "custom", input: value, message: "is of a known form" });
  });
  return z.union([known, other]);
}
