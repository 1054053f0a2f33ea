import { createSandbox, type Sandbox } from "education-admin-sdk/sandbox";
import { type Lied, LyingSchool, type School, type Stored } from "./lies.ts";
import type { Reply } from "./odd-world.ts";

/** A school whose service lies, run in a separate process. Each request states its own time. */
export class LyingWorld {
  readonly #sandbox: Sandbox;
  readonly #school: LyingSchool;
  readonly #requests: { readonly at: number }[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(lied: Lied, start: number) {
    this.#sandbox = createSandbox({ size: "small", now: new Date(start), rateLimit: false });
    this.#school = new LyingSchool(this.#sandbox as unknown as School, lied);
  }

  log(): { readonly requests: readonly { readonly at: number }[]; readonly before: Stored; readonly now: Stored } {
    return { requests: this.#requests, before: this.#school.before, now: this.#school.snapshot() };
  }

  /** Responds to requests in order of arrival. */
  handle(method: string, url: URL, text: string, at: number): Promise<Reply> {
    const reply = this.#turn.then(async () => {
      const { baseUrl, apiKey, clock } = this.#sandbox;
      await clock.advance(Math.max(0, at - clock.now()));
      this.#requests.push({ at });
      const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
      const init = { method, headers, ...(text !== "" && { body: text }) };
      const response = await this.#school.fetch(`${baseUrl}${url.pathname}${url.search}`, init);
      const body = await response.text();
      const link = response.headers.get("link");
      return {
        status: response.status,
        ...(body !== "" && { body: JSON.parse(body) }),
        ...(link !== null && { link: link.replaceAll(baseUrl, url.origin) }),
      };
    });
    this.#turn = reply.catch(() => undefined);
    return reply;
  }
}
