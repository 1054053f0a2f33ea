// The build bundles the Model Context Protocol's SDK into this module, so that the package does not depend on it.
export { Server } from "@modelcontextprotocol/server";
export { serveStdio } from "@modelcontextprotocol/server/stdio";
