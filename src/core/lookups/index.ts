/**
 * What `lookup`, `getMany` and `with` do. It is loaded when one of them is first used, so that nobody else carries it.
 */

export { FieldIndex } from "./field-index.js";
export { join } from "./join.js";
export { cheapest } from "./plan.js";
export { RecordReader } from "./record-reader.js";
