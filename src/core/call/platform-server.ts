/** What Node, Bun and Deno get as `#platform`; see platform.ts. */
export { compileCheck } from "../schema/compile.js";
export { withLog } from "./log-of-environment.js";
export { refuseOldNode } from "./old-node.js";
export { protectFetch } from "./refused-by-fetch.js";
export { isTraced, traceCall, traceRequest } from "./trace-channels.js";
