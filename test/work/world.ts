import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { vi } from "vitest";
import type { Clock } from "../../src/core/clock.js";
import { MainClient } from "../../src/index.js";
import { type MirrorDatabase, type PostgresInProcess, sqlite } from "../../src/mirror/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** How far the virtual clock advances between two checks. */
export const STEP = 10_000;

/** A service, a machine's clock, a database and a disk, any of which can fail. */
export class World {
  readonly sandbox: Sandbox;
  /** The machine's clock. */
  readonly clock: Clock;
  readonly folder = mkdtempSync(join(tmpdir(), "well-again-"));
  readonly file = join(this.folder, "data.sqlite");
  /** A connection to the file that never fails. */
  readonly raw = new DatabaseSync(this.file);
  readonly #stop = new AbortController();
  readonly signal = this.#stop.signal;
  /** How far the machine's clock is ahead, in milliseconds. */
  ahead: number;
  /** The status with which every request is refused; null if the service is well. */
  refuses: number | null = null;
  endsCursors = false;
  databaseIs: "there" | "away" | "full" = "there";
  /** The key that the clients' key function returns. */
  key: string;
  /** The key that replaces `key`. */
  nextKey = "";
  /** True while the service does not accept the application's secret. */
  refusesApplication = false;
  #working = 0;
  #queries = 0;

  constructor(ahead: number) {
    this.ahead = ahead;
    this.sandbox = createSandbox({
      size: 30,
      rateLimit: false,
      now: "2030-03-04T12:00:00.000Z",
      baseUrl: "https://school-1.example",
      oauth: {
        clientId: "agency",
        clientSecret: "a-secret-of-25-characters",
        redirectUri: "https://agency.example/callback",
        agrees: true,
      },
      manners: { iss: "sent" },
      // The receiver is always down, so that notifications fail and have to be recovered.
      webhooks: { data: "record", secrets: "s", retryAfterMs: [], fetch: () => Promise.reject(new Error("down")) },
    });
    this.key = String(this.sandbox.apiKey);
    const base = this.sandbox.clock;
    this.clock = {
      now: () => base.now() + this.ahead,
      steady: () => base.steady(),
      setTimeout: (callback, ms) => base.setTimeout(callback, ms),
      clearTimeout: (timer) => base.clearTimeout(timer),
    };
    vi.spyOn(Date, "now").mockImplementation(() => this.clock.now());
  }

  readonly fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { refuses } = this;
    if (refuses !== null) return Response.json({ errors: {}, code: refuses, message: "no" }, { status: refuses });
    if (this.refusesApplication && String(url).endsWith("/token"))
      return Response.json({ error: "invalid_client" }, { status: 401 });
    if (this.endsCursors && String(url instanceof Request ? url.url : url).includes("cursor="))
      return Response.json({ errors: { cursor: ["has expired"] }, code: 400, message: "no" }, { status: 400 });
    return this.sandbox.fetch(url, init);
  };

  client(): MainClient {
    return new MainClient({
      ...this.sandbox,
      apiKey: () => this.key,
      fetch: this.fetch,
      clock: this.clock,
      pageSize: 10,
      on: { drift() {}, retry() {}, wait() {} },
    });
  }

  #checkDatabase(sql: string): void {
    if (this.databaseIs === "away") throw new Error("connection refused");
    if (this.databaseIs === "full" && /INSERT|UPDATE|DELETE|COMMIT|BEGIN IMM/.test(sql))
      throw new Error("database or disk is full");
  }

  /** A connection that fails while the database is away or full. */
  connection() {
    const check = (sql: string) => this.#checkDatabase(sql);
    const { raw } = this;
    return {
      exec(sql: string) {
        check(sql);
        return raw.exec(sql);
      },
      prepare(sql: string) {
        check(sql);
        const statement = raw.prepare(sql);
        const withCheck =
          (method: "run" | "all" | "get") =>
          (...values: unknown[]): never => {
            check(sql);
            return (statement[method] as (...values: unknown[]) => never)(...values);
          };
        return { run: withCheck("run"), all: withCheck("all"), get: withCheck("get") };
      },
    };
  }

  /** The connection of a Postgres in this process; it fails as `connection()` does. */
  inProcess(database: PostgresInProcess): PostgresInProcess {
    const withCheck = (queries: Pick<PostgresInProcess, "query">) => async (sql: string, values?: unknown[]) => {
      this.#checkDatabase(sql);
      this.#queries++;
      try {
        return await queries.query(sql, values);
      } finally {
        this.#queries--;
      }
    };
    return {
      query: withCheck(database),
      transaction: (work) => database.transaction((queries) => work({ query: withCheck(queries) })),
    };
  }

  database(): MirrorDatabase {
    return sqlite(this.connection());
  }

  /** Lets time pass until a condition holds. @returns false if it does not hold by the end. */
  async pass(ms: number, until: () => boolean = () => false): Promise<boolean> {
    for (let passed = 0; passed < ms && !until(); passed += STEP) {
      await this.sandbox.clock.advance(STEP);
      await new Promise((resolve) => setImmediate(resolve));
      // Disks and digests take real time.
      for (let turn = 0; turn < 8 && this.#working > 0; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
      // Queries of a Postgres take real time too; the next one may begin as soon as one has ended.
      for (let idle = 0; idle < 3; idle = this.#queries > 0 ? 0 : idle + 1)
        await new Promise((resolve) => setImmediate(resolve));
    }
    return until();
  }

  /** Repeats work until the world ends, even after failures. */
  repeat(ms: number, work: () => Promise<unknown>): void {
    const again = () => {
      if (this.signal.aborted) return;
      this.#working++;
      work()
        .catch(() => undefined)
        .finally(() => {
          this.#working--;
          this.clock.setTimeout(again, ms);
        });
    };
    again();
  }

  end(): void {
    this.#stop.abort(new Error("the test is over"));
    this.raw.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
