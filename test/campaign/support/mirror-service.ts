import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createSandbox } from "education-admin-sdk/sandbox";

/** A list of accounts of any length, served as fast as the machine can write it. */
export class AccountList {
  /** The position of the first record of each requested page. */
  readonly asked: number[] = [];
  readonly #records: number;
  readonly #parts: readonly string[];

  constructor(records: number) {
    this.#records = records;
    const record = createSandbox({ size: 1 }).make.account({ id: 1, name: "NAME" });
    const text = JSON.stringify({ ...record, id: "ID" });
    this.#parts = text.split(/("ID"|NAME)/);
  }

  /** The JSON text of one record. */
  record(id: number): string {
    const values: Readonly<Record<string, string>> = { '"ID"': String(id), NAME: `Account ${id}` };
    return this.#parts.map((part) => values[part] ?? part).join("");
  }

  /** Responds to a request for a page. */
  answer(url: URL): Response {
    const from = Number(url.searchParams.get("cursor") ?? 1);
    const size = Number(url.searchParams.get("per_page") ?? 25);
    this.asked.push(from);
    const end = Math.min(this.#records, from + size - 1);
    const records: string[] = [];
    for (let id = from; id <= end; id++) records.push(this.record(id));
    const next = new URL(url);
    next.searchParams.set("cursor", String(end + 1));
    const headers = {
      "content-type": "application/json",
      ...(end < this.#records && { link: `<${next.href}>; rel="next"` }),
    };
    return new Response(`[${records.join()}]`, { headers });
  }
}

/** Serves a list over HTTP. */
export async function serve(list: AccountList, onPage: () => void): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const answer = list.answer(new URL(request.url ?? "/", "http://127.0.0.1"));
    response.writeHead(200, Object.fromEntries(answer.headers));
    response.end(await answer.text());
    onPage();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
