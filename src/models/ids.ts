import * as z from "zod/mini";
import { identifier, model, onTheWire, rule } from "../core/schema/model.js";

export { identifier };

/**
 * An identifier sent as text, as in filters of meetings and orders: a positive whole number, or that number as text.
 */
export function textIdentifier(): z.ZodMiniType<string, number | string> {
  const message = "must be an identifier: a positive whole number, or that number as text";
  const form = /^[1-9]\d*$/;
  const schema = z.pipe(
    z.union([identifier(), z.string().check(rule((text) => form.test(text), message))], message),
    z.transform((value: number | string) => String(value)),
  );
  return onTheWire(schema, { type: "string", pattern: form.source });
}

/**
 * A name in a path, such as the slug of a custom object. Characters that a path cannot contain are refused when the
 * path is built.
 */
export function slug(): z.ZodMiniType<string, string> {
  return z.string().check(z.minLength(1));
}

/**
 * Path parameter of operations on one record that can also be named by its slug; text of digits only is an identifier.
 */
export const byIdOrSlug = /* @__PURE__ */ model(() => ({
  id: z.union([identifier(), slug()], "must be an identifier (a positive whole number) or a slug"),
}));

/** Path parameter of operations on one custom object, or on all its records. */
export const byObjectSlug = /* @__PURE__ */ model(() => ({ object_slug: slug() }));
