import * as z from "zod/mini";
import { model } from "../core/schema/model.js";

export const creditTypeSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the credit type. */
  id: z.int(),
  /** Name of the credit type. */
  name: z.string(), // plain
}));

/** A type of credit, as which the credits of a course count. */
export interface CreditType extends z.infer<typeof creditTypeSchema> {}
