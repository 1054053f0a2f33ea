/**
 * The `./schemas` entry: every record and input as a schema with its type, every enumeration as a list of values with
 * its type, and no client. The schemas are zod/mini objects, and so Standard Schemas too: with them, forms, queues,
 * tests and stores can check the data that the client sends and reads. A schema lets unknown fields through; `closed`
 * makes one that refuses them.
 */

export type { Enumeration, Open, PartialShape } from "./core/schema/model.js";
export * from "./generated/schemas.js";
export { closed } from "./models/closed.js";
export { type PickedInput, pickInput } from "./models/pick-input.js";
