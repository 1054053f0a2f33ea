import { createServer } from "node:http";
import { account } from "./lib/records.ts";

/**
 * Serves all peers from a separate process: the same records, in the envelope that each peer expects. A path of the
 * form /pages-40/delay-50/… is a list of 40 pages, each sent after 50 ms; on any other path, a list has one page.
 */
const ENVELOPES: readonly (readonly [start: string, envelope: (records: unknown[]) => unknown])[] = [
  ["/v1/customers", (data) => ({ object: "list", data, has_more: false, url: "/v1/customers" })],
  ["/v1/files", (data) => ({ object: "list", data, has_more: false })],
  ["/v1/users", (results) => ({ object: "list", results, has_more: false, next_cursor: null })],
  ["/api/v1/accounts", (records) => records],
];

const bodies = new Map<string, Buffer>();
for (const [start, envelope] of ENVELOPES) {
  for (const size of [25, 100]) {
    const records = Array.from({ length: size }, (_, index) => account(index + 1));
    bodies.set(`${start} ${size}`, Buffer.from(JSON.stringify(envelope(records))));
  }
}

const server = createServer((request, response) => {
  const target = request.url ?? "";
  const [, pages = "1", delay = "0"] = /^\/pages-(\d+)\/delay-(\d+)/.exec(target) ?? [];
  const [path = "", search = ""] = target.replace(/^\/pages-\d+\/delay-\d+/, "").split("?");
  const size = /(?:per_page|limit|page_size)=(\d+)/.exec(search)?.[1] ?? "100";
  const body = bodies.get(`${path} ${size}`);
  if (!body) {
    response.writeHead(404).end();
    return;
  }
  const headers: Record<string, string | number> = {
    "content-type": "application/json",
    "content-length": body.length,
  };
  const page = Number(/cursor=(\d+)/.exec(search)?.[1] ?? 1);
  if (page < Number(pages)) {
    headers.link = `<http://${request.headers.host}${path}?cursor=${page + 1}&per_page=${size}>; rel="next"`;
  }
  const answer = () => response.writeHead(200, headers).end(body);
  if (delay === "0") answer();
  else setTimeout(answer, Number(delay));
});

process.on("disconnect", () => process.exit());
process.once("message", () => {
  server.keepAliveTimeout = 600_000;
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
    process.send?.(`http://127.0.0.1:${address.port}`);
  });
});
