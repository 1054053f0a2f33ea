// The base classes, functions and types with which resource classes are written.
export type { Call } from "../core/call/call.js";
export type { Pages } from "../core/lists/pages.js";
export type { ListOptions, RequestOptions } from "../core/options.js";
export { call, pages, Resource } from "../core/resource.js";
export type { Transport } from "../core/transport.js";
export { ListedResource } from "../lookups/listed-resource.js";
