import * as z from "zod/mini";
import { model } from "../core/schema/model.js";

export const creditTypeSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the credit type. */
  id: z.int(),
  /** Name of the credit type. */
  name: z.string(), // plain
}));

/** A type of credit that a course can award. */
export interface CreditType extends z.infer<typeof creditTypeSchema> {}
