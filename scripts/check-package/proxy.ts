import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** A forward proxy like those that companies use: it forwards plain requests with an absolute URL and opens tunnels. */
export class ForwardProxy {
  /** Requests that went through the proxy: `CONNECT host:port` or `GET http://…`, without their queries. */
  readonly passed: string[] = [];
  readonly #server = createServer((request, response) => this.#forward(request, response));
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => {
      this.passed.push(`CONNECT ${request.url}`);
      const { hostname, port } = new URL(`http://${request.url}`);
      const target = connect(Number(port), hostname, () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        target.write(head);
        target.pipe(socket).pipe(target);
      });
      for (const end of [socket, target]) {
        this.#sockets.add(end);
        end.on("error", () => undefined);
      }
    });
  }

  static async start(): Promise<ForwardProxy> {
    const proxy = new ForwardProxy();
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers, url = "" } = request;
    this.passed.push(`${method} ${url.split("?")[0]}`);
    const forwarded = httpRequest(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    response.on("close", () => forwarded.destroy());
    request.pipe(forwarded);
  }
}
