// The build puts the protocol's own SDK into this module, so that the package depends on none of it.
export {
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  isLegacyRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
export { serveStdio } from "@modelcontextprotocol/server/stdio";
