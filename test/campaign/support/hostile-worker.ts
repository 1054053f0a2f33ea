import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { parentPort } from "node:worker_threads";
import { createGzip } from "node:zlib";
import { hostileBodies } from "./hostile-bodies.ts";

// A broken service that runs in its own thread, so that its memory does not count as the client's.

const JSON_TYPE = { "content-type": "application/json" };
const MEGABYTE = " ".repeat(1_048_576);

const server = createServer((request, response) => {
  request.resume();
  response.on("error", () => undefined);
  const name = String(request.headers["x-case"]);
  const body = hostileBodies[name];
  if (body) {
    response.writeHead(body.status ?? 200, { ...JSON_TYPE, ...body.headers }).end(body.text());
    return;
  }
  (misbehaviors[name] ?? missing)(response);
});

const missing = (response: ServerResponse) => void response.writeHead(404).end();

const misbehaviors: Record<string, (response: ServerResponse) => void> = {
  endless_body: (response) => {
    response.writeHead(200, JSON_TYPE).write("[");
    pour(response);
  },
  endless_error_body: (response) => {
    response.writeHead(500, JSON_TYPE).write('{"message":"');
    pour(response);
  },
  dripping_body: (response) => {
    response.writeHead(200, JSON_TYPE);
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  },
  compressed_bomb: (response) => {
    response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" });
    const gzip = createGzip({ level: 9 });
    gzip.pipe(response);
    pour(gzip, response);
  },
  announced_10_gigabytes: (response) => {
    response.writeHead(200, { ...JSON_TYPE, "content-length": "10000000000" }).write("[");
    pour(response);
  },
  large_header: (response) => void response.writeHead(200, { ...JSON_TYPE, link: "x".repeat(1_000_000) }).end("[]"),
};

// Writes without end, as fast as the client reads.
function pour(into: NodeJS.WritableStream, response: NodeJS.WritableStream = into): void {
  let open = true;
  response.on("close", () => {
    open = false;
  });
  const more = () => {
    while (open && into.write(MEGABYTE));
    if (open) into.once("drain", more);
  };
  more();
}

// Uses no HTTP library, so that it can send a header one byte at a time.
const dripping = createTcpServer((socket) => {
  socket.on("error", () => undefined);
  socket.write("HTTP/1.1 200 OK\r\nx-drip: ");
  const timer = setInterval(() => socket.write("x"), 20);
  socket.on("close", () => clearInterval(timer));
});

// Sends endless one-byte chunks: reading each costs many times the size of its content.
const crumbling = createTcpServer((socket) => {
  let open = true;
  const crumbs = "1\r\n \r\n".repeat(100_000);
  const more = () => {
    while (open && socket.write(crumbs));
    if (open) socket.once("drain", more);
  };
  socket.on("error", () => undefined);
  socket.on("close", () => {
    open = false;
  });
  socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n");
  more();
});

function originOf(of: Server): string {
  return `http://127.0.0.1:${(of.address() as AddressInfo).port}`;
}

parentPort?.on("message", () => {
  server.closeAllConnections();
  server.close();
  dripping.close();
  crumbling.close();
  parentPort?.close();
});

const servers = [server, dripping, crumbling];
let starting = servers.length;
for (const each of servers) {
  each.listen(0, "127.0.0.1", () => {
    if (--starting === 0) parentPort?.postMessage(servers.map(originOf));
  });
}
