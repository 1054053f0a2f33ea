import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import type { Service } from "./service.ts";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The policy of all pages: scripts only from files of this origin, so neither eval nor inline code. */
export const POLICY = "default-src 'self'; script-src 'self'; connect-src *";

const PAGE =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Page</title><body><script type="module" src="page.js"></script></body></html>';

/**
 * A web server for one folder, with a strict Content-Security-Policy. A folder without index.html gets a page that
 * loads page.js. If there is a service, requests below `/api/` go to it, so that the page and the service share an
 * origin.
 */
export class Site {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async serve(folder: string, service?: Service): Promise<Site> {
    const server = createServer((request, response) => {
      const path = normalize(new URL(request.url ?? "/", "http://site").pathname);
      if (service && path.startsWith("/api/")) return void service.handle(request, response);
      const name = path === "/" ? "/index.html" : path;
      response.setHeader("content-security-policy", POLICY);
      readFile(join(folder, name)).then(
        (content) => response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "text/plain" }).end(content),
        () => {
          if (name !== "/index.html") return response.writeHead(404).end();
          return response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(PAGE);
        },
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Site(server);
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
