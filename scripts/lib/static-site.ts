import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

export interface Site {
  readonly url: string;
  close(): Promise<void>;
}

interface SiteOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** The page of the address `/` if the folder has no index.html. */
  readonly index?: string;
  /** Answers the requests below `/api/`, so that the page and the service share an origin. */
  readonly service?: { handle(request: IncomingMessage, response: ServerResponse): Promise<void> } | undefined;
}

/** Serves a folder as a host of static pages does: compressed, and with 404.html for missing files. */
export async function serveSite(folder: string, { headers, index, service }: SiteOptions = {}): Promise<Site> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(request.url?.split(/[?#]/)[0] ?? "/"));
    if (service && path.startsWith("/api/")) return void service.handle(request, response);
    const asked = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    const found = existsSync(asked) && statSync(asked).isFile();
    const isIndex = !found && path === "/" && index !== undefined;
    const other = join(folder, "404.html");
    const text = found ? readFileSync(asked) : isIndex ? index : existsSync(other) ? readFileSync(other) : "";
    response.writeHead(found || isIndex ? 200 : 404, {
      "content-type": TYPES[found ? extname(asked) : ".html"] ?? "application/octet-stream",
      "content-encoding": "gzip",
      "cache-control": "max-age=600",
      ...headers,
    });
    response.end(gzipSync(text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
