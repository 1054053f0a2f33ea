/** The `./proxy` entry: a handler that lets web pages read the operations you name, without a key in the page. */
export {
  type NodeWebhookHandler,
  type NodeWebhookRequest,
  type NodeWebhookResponse,
  toNodeHandler,
} from "../webhooks/receive/to-node-handler.js";
export { createProxyHandler, type ProxyHandler } from "./handler.js";
export type { ProxyCors, ProxyOptions } from "./options.js";
export type { ProxyClient } from "./routes.js";
