/** The `./twin` entry: reads what a sandbox needs to be like a school, and says what changed since. */
export type { Twin } from "../sandbox/twin.js";
export type { FieldShape } from "../work/kinds.js";
export { compareTwins, type TwinChange } from "./compare.js";
export { formatTwin } from "./file.js";
export { type TakeTwinOptions, type TwinProgress, takeTwin } from "./take.js";
