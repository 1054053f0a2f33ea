/**
 * The `./schemas` entry: every record and input as a schema with its type, every enumeration as a list of values with
 * its type, and no client. The schemas are zod/mini objects, and so Standard Schemas too: forms, queues, tests and
 * stores can check with them what the client sends and reads. A schema lets fields through that it does not know;
 * `closed` makes one that refuses them.
 */

export type { Enumeration, Open, PartialShape } from "./core/schema/model.js";
export * from "./generated/schemas.js";
export { closed } from "./models/closed.js";
export { type PickedInput, pickInput } from "./models/pick-input.js";
