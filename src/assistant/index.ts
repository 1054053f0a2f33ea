/** The `./assistant` entry: tools with which language models read a school and plan writes for a person to apply. */
export { assistantTools } from "./tools.js";
export type * from "./types.js";
