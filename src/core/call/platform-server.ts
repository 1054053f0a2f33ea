/** The `#platform` of Node, Bun and Deno; see platform.ts. */
export { compileCheck } from "../schema/compile.js";
export { withLog } from "./log-of-environment.js";
export { refuseOldNode } from "./old-node.js";
export { protectFetch } from "./refused-by-fetch.js";
export { isTraced, traceCall, traceRequest } from "./trace-channels.js";
