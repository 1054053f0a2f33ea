import { refuseOldNode } from "./old-node.js";
import { protectFetch } from "./too-many-encodings.js";

/** What Node, Bun and Deno get as `#platform`; see platform.ts. */
export { compileCheck } from "../schema/compile.js";
export { isTraced, traceCall, traceRequest } from "./trace-channels.js";

/** Refuses a Node that is too old, and keeps fetch from ending the process. @throws ConfigurationError */
export const preparePlatform = (origin: string): void => {
  refuseOldNode();
  protectFetch(origin);
};
