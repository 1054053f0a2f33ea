// The build puts the protocol's own SDK into this module, so that the package depends on none of it.
export { Server } from "@modelcontextprotocol/server";
export { serveStdio } from "@modelcontextprotocol/server/stdio";
