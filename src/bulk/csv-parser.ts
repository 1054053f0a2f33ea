// In a file of its own, because it has the parser inside and both builds import it.
export { parse } from "csv-parse";
