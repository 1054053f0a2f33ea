// The build bundles the Model Context Protocol's SDK into this module, so that the package does not depend on it.
import { Transform } from "node:stream";
import { parseJSONRPCMessage, Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio as serveTransport } from "@modelcontextprotocol/server/stdio";
import { isPlainObject } from "../../core/json.js";

export { Server };

const LONGEST_LINE_BYTES = 10_485_760;
const INVALID_REQUEST = -32_600;

/** Serves the protocol over stdin and stdout, and answers every request that has an id. */
export function serveStdio(factory: () => Server): { close(): Promise<void> } {
  const input = process.stdin.pipe(repairRequests());
  // Also pauses stdin, which would otherwise keep the process alive.
  input.once("pause", () => process.stdin.unpipe(input).pause());
  return serveTransport(factory, { transport: new StdioServerTransport(input) });
}

// Answers requests that the SDK drops because it cannot read them: a client would wait until it times out.
function repairRequests(): Transform {
  let rest = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _, done) {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
        this.push(repairRequest(rest.toString("utf8", 0, end)));
        rest = rest.subarray(end + 1);
      }
      // Passes on a line that is too long, so that the SDK ends the connection.
      done(null, rest.length > LONGEST_LINE_BYTES ? rest : undefined);
    },
  });
}

/**
 * Removes parameters that are null: some clients send these instead of leaving them out. Returns "" if the request was
 * refused or dropped.
 */
function repairRequest(line: string): string {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return `${line}\n`;
  }
  if (!isPlainObject(message) || !("method" in message)) return `${line}\n`;
  const { id, params, ...request } = message;
  const given = isPlainObject(params)
    ? Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null))
    : (params ?? undefined);
  const repaired = { ...request, id, params: given };
  try {
    parseJSONRPCMessage(JSON.parse(JSON.stringify(repaired)));
  } catch {
    if (typeof id !== "string" && typeof id !== "number") return "";
    const error = { code: INVALID_REQUEST, message: "Invalid Request" };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
    return "";
  }
  return `${JSON.stringify(repaired)}\n`;
}
