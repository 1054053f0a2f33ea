/** The `./erase` entry, for Node: takes one person out of what this library keeps in files and databases. */
export { type ErasedPlace, type EraseOptions, type ErasureReport, erase, type PersonToErase } from "./node-erase.js";
