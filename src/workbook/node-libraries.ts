/**
 * The libraries for ZIP archives and XML: the build puts them into one file, which is loaded with the first workbook.
 */
export { SaxesParser } from "saxes";
export { default as yauzl } from "yauzl";
export { default as yazl } from "yazl";
