// Serves odd services on one port, each with its own token: node odd-service.ts. Prints the port, and ends when its
// standard input ends.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Lied } from "./lies.ts";
import { LyingWorld } from "./lying-world.ts";
import { OddWorld, type Reply, type WorldSetup } from "./odd-world.ts";

const worlds = new Map<string, OddWorld | LyingWorld>();

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
  const token = String(request.headers.authorization).replace("Bearer ", "");
  const text = await textOf(request);
  const time = Number(request.headers["x-time"] ?? 0);
  const body = text === "" ? {} : JSON.parse(text);
  if (url.pathname === "/control/make") {
    const { lied, start } = body as { readonly lied?: Lied; readonly start: number };
    worlds.set(token, lied ? new LyingWorld(lied, start) : new OddWorld(body as WorldSetup));
    return void response.writeHead(204).end();
  }
  const world = worlds.get(token);
  if (!world) return void response.writeHead(401, { "content-type": "application/json" }).end("{}");
  if (url.pathname === "/control/log") {
    if (world instanceof OddWorld) world.goTo(time);
    return send(response, { status: 200, body: world.log() });
  }
  const method = request.method ?? "GET";
  const reply =
    world instanceof OddWorld ? world.handle(method, url, body, time) : await world.handle(method, url, text, time);
  if (reply.status === "lost") return void request.socket.destroy();
  send(response, reply);
});

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, { status, body, link }: Reply): void {
  const headers = { "content-type": "application/json", ...(link !== undefined && { link }) };
  // Tells the client to wait, on its own clock, for a response that never comes.
  if (status === "never") return void response.writeHead(200, { "x-never": "1" }).end();
  response.writeHead(Number(status), headers).end(body === undefined ? undefined : JSON.stringify(body));
}

server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.stdin.on("end", () => process.exit()).resume();
