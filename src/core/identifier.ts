import * as z from "zod/mini";

/** An identifier as sent: a whole number from 1. */
export function identifier(): z.ZodMiniType<number, number> {
  return z.int("must be an identifier: a whole number from 1").check(z.minimum(1));
}
