/** The `./assistant` entry: tools with which language models read a school, and plan writes that a person applies. */
export { assistantTools } from "./tools.js";
export type * from "./types.js";
