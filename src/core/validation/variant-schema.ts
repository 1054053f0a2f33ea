import * as z from "zod/mini";
import { type Schema, type VariantTraits, variantNames } from "./traits.js";

/** What the schema of an object of several forms is made from. */
type Variants = Pick<VariantTraits, "discriminator" | "options">;

/**
 * A schema that accepts objects of the listed forms.
 * @param forms the schemas of the forms, in the order of `variants.options`.
 * @param kind what the discriminator of another form must be; its other fields are not checked. Null: no other form.
 */
export function variantSchema(variants: Variants, forms: readonly Schema[], kind: Schema | null): z.ZodMiniType {
  const known = z.discriminatedUnion(variants.discriminator, forms as unknown as [z.ZodMiniObject]);
  if (!kind) return known;
  const { discriminator } = variants;
  // The names are read late, because reading a model builds it.
  const other = z.looseObject({ [discriminator]: kind }).check(({ value, issues }) => {
    const isKnown = variantNames(variants).includes(value[discriminator] as string);
    if (isKnown) issues.push({ code: "custom", input: value, message: "is of a known form" });
  });
  return z.union([known, other]);
}
