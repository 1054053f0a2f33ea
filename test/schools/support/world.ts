import { createSandbox, type Sandbox, type SandboxOptions } from "../../../src/sandbox/index.js";
import {
  createSchools,
  memoryTokens,
  type Schools,
  type SchoolsOptions,
  type TokenEntry,
} from "../../../src/schools/index.js";

const REDIRECT = "https://agency.example/callback";

export const HOUR = 3_600_000;

/** The error that a promise rejects with. */
export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

/** Schools in this process: each has its own sandbox, and one fetch reaches all of them. */
export class World {
  readonly sandboxes = new Map<string, Sandbox>();
  readonly tokens = memoryTokens();
  time = Date.UTC(2030, 0, 7, 9);
  readonly #timers = new Set<{ at: number; run: () => void }>();

  /** A clock that only `pass` moves. */
  readonly clock = {
    now: () => this.time,
    setTimeout: (run: () => void, ms: number) => {
      const timer = { at: this.time + ms, run };
      this.#timers.add(timer);
      return timer;
    },
    clearTimeout: (timer: unknown) => {
      this.#timers.delete(timer as { at: number; run: () => void });
    },
  };

  constructor(count: number, options: SandboxOptions = {}) {
    for (let at = 1; at <= count; at++) {
      const baseUrl = `https://school-${at}.example`;
      const oauth = {
        clientId: "agency",
        clientSecret: "a-secret-of-25-characters",
        redirectUri: REDIRECT,
        agrees: true,
        ...options.oauth,
      };
      const now = new Date(this.time).toISOString();
      this.sandboxes.set(
        baseUrl,
        createSandbox({ size: "small", now, manners: { iss: "sent" }, ...options, baseUrl, oauth }),
      );
    }
  }

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    return this.sandbox(origin).fetch(input, init);
  };

  sandbox(school: number | string): Sandbox {
    const found = this.sandboxes.get(typeof school === "number" ? `https://school-${school}.example` : school);
    if (!found)
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("no such host"), { code: "ENOTFOUND" }) });
    return found;
  }

  schools(options: Partial<SchoolsOptions> = {}): Schools {
    return createSchools({
      clientId: "agency",
      clientSecret: "a-secret-of-25-characters",
      redirectUri: REDIRECT,
      tokens: this.tokens,
      fetch: this.fetch,
      clock: this.clock,
      ...options,
    });
  }

  /** Consents like a user of the school. Returns the address to which the browser is redirected. */
  async agree(address: string): Promise<string> {
    const response = await this.fetch(address, { redirect: "manual" });
    const location = response.headers.get("location");
    if (location === null) throw new Error(`no redirect: ${response.status} ${await response.text()}`);
    return location;
  }

  async connect(schools: Schools, school: number): Promise<string> {
    const address = `https://school-${school}.example`;
    await schools.connect(await this.agree(await schools.authorizeUrl(address)));
    return address;
  }

  /** Changes the entry of a school in the token store, as another process would. */
  async change(school: string, facts: object): Promise<void> {
    const before = (await this.tokens.get(`school ${school}`)) as TokenEntry;
    const after = { ...before, version: "changed", facts: JSON.stringify({ ...JSON.parse(before.facts), ...facts }) };
    if (!(await this.tokens.put(after, before.version))) throw new Error("another process was first");
  }

  /** Advances the time of the application and of the schools. */
  async pass(ms: number): Promise<void> {
    this.time += ms;
    for (const sandbox of this.sandboxes.values()) await sandbox.clock.advance(ms);
    for (const timer of [...this.#timers]) {
      if (timer.at > this.time || !this.#timers.delete(timer)) continue;
      timer.run();
    }
  }

  /** Advances the time until a promise settles. */
  async until<T>(work: Promise<T>, step = 100): Promise<T> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    for (let steps = 0; steps < 2_000 && !isOver; steps++) {
      // Web Crypto and the sandbox take real time.
      await new Promise((resolve) => setImmediate(resolve));
      await this.pass(step);
    }
    return work;
  }

  /** The refresh requests of a school's token endpoint, with their results. */
  refreshes(school: number): string[] {
    const { grants } = this.sandbox(school).oauth;
    return grants.filter(({ type }) => type === "refresh_token").map(({ result }) => result);
  }
}
