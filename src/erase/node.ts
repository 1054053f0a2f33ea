/** The `./erase` entry, for Node: takes one person out of what this library keeps in files and databases. */
export type { EraseOptions, PersonToErase } from "./node-arguments.js";
export { type ErasedPlace, type ErasureReport, erase } from "./node-erase.js";
