import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

/** Serves a folder as a host of static pages does: compressed, and with 404.html for missing files. */
export async function serveSite(folder: string): Promise<{ readonly url: string; close(): void }> {
  const compressed = new Map<string, Buffer>();
  const bytesOf = (file: string) => {
    const bytes = compressed.get(file) ?? gzipSync(readFileSync(file));
    compressed.set(file, bytes);
    return bytes;
  };
  const server = createServer(({ url = "/" }, response) => {
    const path = normalize(decodeURIComponent(url.split(/[?#]/)[0] ?? "/"));
    const asked = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    const found = existsSync(asked) && statSync(asked).isFile();
    const file = found ? asked : join(folder, "404.html");
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    const headers = { "content-type": type, "content-encoding": "gzip", "cache-control": "max-age=600" };
    response.writeHead(found ? 200 : 404, headers);
    response.end(bytesOf(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
