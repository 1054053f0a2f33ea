/** The `./twin` entry: reads a school for a sandbox that resembles it, and finds later changes to the school. */
export type { Twin } from "../sandbox/twin.js";
export type { FieldShape } from "../work/kinds.js";
export { compareTwins, type TwinChange } from "./compare.js";
export { formatTwin } from "./file.js";
export { type TakeTwinOptions, type TwinProgress, takeTwin } from "./take.js";
