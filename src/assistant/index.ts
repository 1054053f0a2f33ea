/** The `./assistant` entry: tools for language models to read a school's data and plan writes for a person to apply. */
export { assistantTools } from "./tools.js";
export type * from "./types.js";
