import { createHash, randomBytes } from "node:crypto";
import { isPlainObject } from "../../core/json.js";
import { resourceOf } from "../../resources/references.js";
import { CONTROL_PREFIX, collectionsOf, control, namedCollection } from "../../sandbox/control.js";
import type { Collection, Identified } from "../../sandbox/data/collection.js";
import { unusual } from "../../sandbox/data/manners.js";
import type { RecordedRequest } from "../../sandbox/engine/calls.js";
import { answering, type ListenOptions } from "../../sandbox/node.js";
import { isThisHost } from "../../sandbox/node-this-host.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { WebhookEventName } from "../../webhooks/events.js";
import { quoteForShell } from "../../work/shell.js";
import { sampleEvent } from "../commands/sample-event.js";
import { CONSOLE_BODY, CONSOLE_STYLE } from "./console-html.js";
import { type ConsoleNews, type ConsoleRequest, consoleScript } from "./console-page.js";

const PAGE_PATH = `${CONTROL_PREFIX}/`;
const PREFIX = `${PAGE_PATH}console/`;
const KEPT = 1000;
// The length of the service's rate-limit window; the console shows the number of requests in the last window.
const WINDOW_MS = 300_000;
const MOST_FOUND = 100;
const FOREIGN_HOST = "Open the console at the address that the command prints, not by another host name";

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const SCRIPT = `(${String(consoleScript)})(${String(quoteForShell)})`;
const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sandbox console</title><style>${CONSOLE_STYLE}</style></head><body>${CONSOLE_BODY}<script>${SCRIPT}</script></body></html>`;
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; script-src ${hashOf(SCRIPT)}; style-src ${hashOf(CONSOLE_STYLE)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

interface Reader {
  news: ConsoleRequest[];
  /** Wakes the reader; null while the browser does not accept more data. */
  tell: (() => void) | null;
}

/** A page that shows the requests to a sandbox and can change the sandbox. Its own requests need a token. */
export class Console {
  readonly #token = randomBytes(16).toString("hex");
  readonly #readers = new Set<Reader>();
  #sandbox: Sandbox | null = null;
  #arrivals: number[] = [];
  #kept: { shown: ConsoleRequest; record: RecordedRequest }[] = [];
  #count = 0;

  /** The path of the page. The token is in the fragment, which browsers never send. */
  get path(): string {
    return `${PAGE_PATH}#${this.#token}`;
  }

  request(record: RecordedRequest): void {
    const { at, method, operation, status } = record;
    const query = new URLSearchParams(record.query.map(([name, value]) => [name, value])).toString();
    const path = record.path + (query === "" ? "" : `?${query}`);
    const shown = { n: this.#count++, at, method, path, operation, status };
    this.#kept.push({ shown, record });
    if (status !== 429) this.#arrivals.push(at);
    // Trimmed rarely: copying a thousand entries for every request would cost more than the request itself.
    if (this.#kept.length > 2 * KEPT) this.#kept = this.#kept.slice(-KEPT);
    for (const reader of this.#readers) {
      reader.news.push(shown);
      if (reader.news.length > 2 * KEPT) reader.news = reader.news.slice(-KEPT);
      reader.tell?.();
    }
  }

  notifyChange(): void {
    for (const { tell } of this.#readers) tell?.();
  }

  around(sandbox: Sandbox, options: Pick<ListenOptions, "control" | "cors" | "host"> = {}): Pick<Sandbox, "fetch"> {
    this.#sandbox = sandbox;
    const answer = answering(sandbox, options);
    return {
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const url = new URL(request.url);
        const isPage = url.pathname === PAGE_PATH || url.pathname.startsWith(PREFIX);
        if (!isPage) return answer(request);
        return isThisHost(url, options.host) ? this.#answer(sandbox, request, url) : refusal(403, FOREIGN_HOST);
      },
    };
  }

  async #answer(sandbox: Sandbox, request: Request, url: URL): Promise<Response> {
    const origin = request.headers.get("origin");
    if (origin !== null && origin !== url.origin)
      return refusal(403, "Only the console's own page may send this request");
    if (url.pathname === PAGE_PATH) {
      if (request.method === "GET") return new Response(PAGE, { headers: HEADERS });
      return refusal(405, "Read the console with GET");
    }
    const path = url.pathname.slice(PREFIX.length);
    if (request.headers.get("x-sandbox-console") !== this.#token) return refusal(403, "The token is missing or wrong");
    const [what = "", name = "", id = ""] = path.split("/");
    if (what === "feed") return this.#feed(request.signal);
    if (what === "call") return Response.json(this.#call(sandbox, Number(name)));
    if (what === "deliver" && request.method === "POST") return deliver(sandbox, await request.json());
    if (what === "data") {
      try {
        if (request.method === "DELETE") return remove(sandbox, name, Number(id));
        return find(sandbox, name, url.searchParams.get("search") ?? "");
      } catch (error) {
        return refusal(404, (error as Error).message);
      }
    }
    if (what !== "control") return refusal(404, "The console has no such path");
    const asked = new URL(CONTROL_PREFIX + path.slice("control".length) + url.search, url.origin);
    const body = request.method === "GET" ? null : await request.text();
    const answer = await control(sandbox, new Request(asked, { method: request.method, body }), false);
    if (path === "control/reset") this.#arrivals = [];
    this.notifyChange();
    return answer;
  }

  #feed(signal: AbortSignal): Response {
    const reader: Reader = { news: this.#kept.slice(-KEPT).map(({ shown }) => shown), tell: null };
    let isFirst = true;
    signal.addEventListener("abort", () => this.#readers.delete(reader));
    const write = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      reader.tell = null;
      const text = `data: ${JSON.stringify(this.#news(reader.news.splice(0).slice(-KEPT)))}\n\n`;
      controller.enqueue(new TextEncoder().encode(text));
    };
    const body = new ReadableStream<Uint8Array>(
      {
        start: () => void this.#readers.add(reader),
        // Called when the browser can take more: sends all new entries together, up to the last thousand.
        pull: async (controller) => {
          if (!isFirst && reader.news.length === 0) await new Promise<void>((resolve) => (reader.tell = resolve));
          isFirst = false;
          write(controller);
        },
        cancel: () => void this.#readers.delete(reader),
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-store" } });
  }

  #news(requests: readonly ConsoleRequest[]): ConsoleNews {
    const { clock, faults, webhooks, manners } = this.#sandbox as Sandbox;
    const now = clock.now();
    this.#arrivals = this.#arrivals.filter((at) => at > now - WINDOW_MS);
    const counts = { faults: faults.pending.length, deliveries: webhooks.deliveries.length };
    const mannerLines = Object.entries(unusual(manners)).map(([name, value]) => `${name}: ${value}`);
    return {
      requests,
      state: { now, requests: this.#count, inWindow: this.#arrivals.length, ...counts, manners: mannerLines },
    };
  }

  #call(sandbox: Sandbox, n: number): unknown {
    const record = this.#kept.find(({ shown }) => shown.n === n)?.record;
    if (!record) return null;
    return sandbox.calls()[sandbox.requests.filter(({ operation }) => operation !== null).indexOf(record)] ?? null;
  }
}

async function deliver({ webhooks, clock }: Sandbox, body: unknown): Promise<Response> {
  const { event, record } = isPlainObject(body) ? body : {};
  const known = WebhookEventName.values.find((name) => name === event);
  if (!known) return refusal(422, `Name one of the events: ${WebhookEventName.values.join(", ")}`);
  const sample = () => sampleEvent(known, 1, clock.now()).then((text) => JSON.parse(text).event_data as unknown);
  const data = record ?? (await sample());
  webhooks.send(known, isPlainObject(data) ? data : {});
  return new Response(null, { status: 204 });
}

// Finds the record with an identifier, or the first records that contain a text, and the collections to which their
// references point.
function find(sandbox: Sandbox, name: string, search: string): Response {
  const records = [...matching(namedCollection(sandbox, name), search.toLowerCase())];
  const links = Object.keys(records[0] ?? {}).flatMap((field) => {
    const to = field.endsWith("_id") ? resourceOf(field.slice(0, -"_id".length), name) : null;
    return to !== null && to in collectionsOf(sandbox) ? [[field, to]] : [];
  });
  return Response.json({ records, links: Object.fromEntries(links) });
}

function* matching(all: Collection<Identified>, search: string): Generator<Identified> {
  if (/^\d+$/.test(search)) {
    const record = all.get(Number(search));
    if (record) yield record;
    return;
  }
  let count = 0;
  for (const record of all) {
    if (!JSON.stringify(record).toLowerCase().includes(search)) continue;
    yield record;
    if (++count === MOST_FOUND) return;
  }
}

function remove(sandbox: Sandbox, name: string, id: number): Response {
  const isGone = namedCollection(sandbox, name).delete(id);
  return isGone ? new Response(null, { status: 204 }) : refusal(404, `${name} has no record ${id}`);
}

function refusal(status: number, message: string): Response {
  return Response.json({ message }, { status });
}
