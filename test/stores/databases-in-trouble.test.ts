// Runs programs while their database has every kind of trouble.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createSandbox } from "education-admin-sdk/sandbox";
import { listen } from "education-admin-sdk/sandbox/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CountingServer, countingServer } from "../campaign/support/counting-server.ts";
import { drawCases } from "../support/amount.ts";
import { needs } from "../support/tools.ts";
import type { OutageLine, OutageWork, Part } from "./support/outage-worker.ts";
import { type Server, startPostgres, startPostgresWithDisk, startRedis } from "./support/servers.ts";
import { APP, type Trouble, troublesOfPostgres, troublesOfRedis } from "./support/troubles.ts";

const WORKER = fileURLToPath(new URL("support/outage-worker.ts", import.meta.url));
const LIMIT = 40;
const WINDOW_MS = 2_000;
// A call to the database fails after 5 seconds without a response, but on a busy machine its message arrives later.
const SPEAKS_WITHIN_MS = 60_000;

type Kind = { readonly parts: readonly Part[]; readonly database: OutageWork["database"] };

/** The programs that share one database, the services that they call, and the results. */
class Town {
  readonly #children: ChildProcess[] = [];
  readonly #inboxes: string[] = [];
  readonly #stop = new AbortController();
  readonly #close: (() => Promise<unknown>)[] = [];
  readonly #going: Promise<unknown>[] = [];
  /** How many pieces of work each part of each program has done. */
  readonly done = new Map<string, number>();
  readonly said = new Map<string, Set<string>>();
  readonly failed: string[] = [];
  readonly answered = new Set<string>();
  readonly handled = new Map<string, number>();
  readonly feed: number[] = [];
  limited!: CountingServer;
  sandbox = createSandbox({ size: 60, rateLimit: false });
  plans = 0;

  async start(url: string, kinds: readonly Kind[]): Promise<void> {
    this.limited = await countingServer(LIMIT, WINDOW_MS, 5);
    const school = await listen(this.sandbox);
    this.#close.push(
      () => this.limited.close(),
      () => school.close(),
    );
    const common = { url, limited: this.limited.baseUrl, limit: LIMIT, windowMs: WINDOW_MS, started: Date.now() };
    for (const [number, kind] of kinds.entries()) {
      const work: OutageWork = {
        ...common,
        ...kind,
        number,
        school: { baseUrl: school.url, apiKey: this.sandbox.apiKey },
      };
      const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", WORKER, JSON.stringify(work)], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      this.#children.push(child);
      for (const part of kind.parts) this.done.set(`${part} ${number}`, 0);
      if (kind.parts.includes("mirror")) this.done.set(`feed ${number}`, 0);
      if (!child.stdout) throw new Error("The program has no output");
      createInterface(child.stdout).on("line", (line) => this.#read(number, JSON.parse(line) as OutageLine));
    }
    const inboxes = kinds.filter(({ parts }) => parts.includes("inbox")).length;
    while (this.#inboxes.length < inboxes) await setTimeout(20);
    this.#going.push(this.#post(), this.#change());
  }

  #read(number: number, line: OutageLine): void {
    const part = `${line.part} ${number}`;
    if ("url" in line) this.#inboxes.push(line.url);
    if ("said" in line) this.said.set(line.part, (this.said.get(line.part) ?? new Set()).add(line.said));
    if ("failed" in line) this.failed.push(`${line.part}: ${line.failed}`);
    if (!("did" in line)) return;
    this.done.set(part, (this.done.get(part) ?? 0) + 1);
    if (line.part === "inbox") this.handled.set(String(line.did), (this.handled.get(String(line.did)) ?? 0) + 1);
    if (line.part === "feed") this.feed.push(Number(line.did));
    if (line.part === "journal") this.plans = Number(line.did);
  }

  // Sends each delivery until the receiver responds with 200, as the service does.
  async #post(): Promise<void> {
    const lane = async (number: number) => {
      for (let at = 0; !this.#stop.signal.aborted; at++) {
        const id = `${number}-${at}`;
        const body = JSON.stringify({ event: "account.updated", event_data: { id } });
        for (let turn = at; !this.#stop.signal.aborted; turn++) {
          const url = this.#inboxes[turn % this.#inboxes.length] ?? "";
          const signal = AbortSignal.timeout(5_000);
          const headers = { "content-type": "application/json" };
          const response = await fetch(url, { method: "POST", body, headers, signal }).catch(() => null);
          if (response?.status === 200) {
            this.answered.add(id);
            break;
          }
          await setTimeout(200);
        }
        await setTimeout(50);
      }
    };
    await Promise.all([lane(1), lane(2), lane(3)]);
  }

  async #change(): Promise<void> {
    const { accounts } = this.sandbox.store;
    let updated = Date.now() + 3_600_000;
    for (let at = 0; !this.#stop.signal.aborted; at++) {
      accounts.update((at % 50) + 1, { updated_at: new Date(++updated).toISOString() });
      await setTimeout(50);
    }
  }

  /** Waits until each part of each program has done more work. Returns the parts that did none in time. */
  async goesOn(withinMs: number): Promise<string[]> {
    const before = new Map(this.done);
    const until = performance.now() + withinMs;
    for (;;) {
      const still = [...before].filter(([part, count]) => (this.done.get(part) ?? 0) <= count).map(([part]) => part);
      if (still.length === 0 || performance.now() > until) return still;
      await setTimeout(20);
    }
  }

  get ended(): number {
    return this.#children.filter(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null).length;
  }

  /** Stops sending, then waits until every delivery that was accepted with a 200 has been handled. */
  async rest(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#going);
    const until = performance.now() + 60_000;
    while (this.lost.length > 0 && performance.now() < until) await setTimeout(50);
  }

  get lost(): string[] {
    return [...this.answered].filter((id) => !this.handled.has(id));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, "exit");
      child.stdin?.end();
      await Promise.race([ended, setTimeout(5_000)]);
      child.kill("SIGKILL");
    }
    for (const close of this.#close) await close();
  }
}

const POSTGRES: readonly Kind[] = [
  { parts: ["limit", "inbox"], database: "postgres" },
  { parts: ["limit", "inbox"], database: "postgres" },
  { parts: ["limit", "mirror"], database: "postgres" },
  { parts: ["limit", "journal"], database: "postgres" },
];
const REDIS: readonly Kind[] = [
  { parts: ["limit", "inbox"], database: "ioredis" },
  { parts: ["limit", "inbox"], database: "node-redis" },
  { parts: ["limit"], database: "ioredis" },
  { parts: ["limit"], database: "node-redis" },
];

const CASES = [
  {
    name: "Postgres",
    tools: ["postgres"],
    kinds: POSTGRES,
    start: async () => {
      const server = await startPostgres();
      return { server, troubles: (await troublesOfPostgres(server)) as Record<string, Trouble> };
    },
    troubles: [
      "is restarted",
      "is killed",
      "lets nobody in",
      "is read-only",
      "is out of connections",
      "is locked by another program",
      "ends each statement because of its time",
      "loses all connections again and again",
      "hangs",
    ],
  },
  {
    name: "Postgres on a small disk",
    tools: ["postgres", "tmpfs"],
    kinds: POSTGRES,
    start: async () => {
      const server = await startPostgresWithDisk("32m");
      return { server, troubles: (await troublesOfPostgres(server, server.disk)) as Record<string, Trouble> };
    },
    troubles: ["has a full disk"],
  },
  {
    name: "Redis",
    tools: ["redis"],
    kinds: REDIS,
    start: async () => {
      const server = await startRedis();
      return { server, troubles: troublesOfRedis(server) as Record<string, Trouble> };
    },
    troubles: [
      "is restarted",
      "is killed",
      "is read-only",
      "is out of memory",
      "is out of connections",
      "is busy with a script",
      "loses all connections again and again",
      "hangs",
    ],
  },
] as const;

// The parts that report each trouble with Redis, for the troubles that only one part reports. Calls that are repeated
// at once on a new connection do not fail, and BullMQ waits silently while Redis hangs.
const SPEAKING_OF_REDIS: Record<string, readonly Part[]> = {
  "loses all connections again and again": ["inbox"],
  hangs: ["limit"],
};

function mostInAWindow(times: readonly number[]): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + WINDOW_MS).length));
}

describe.each(CASES)("programs on $name", ({ name: database, tools, kinds, start, troubles }) => {
  const speaking = database === "Redis" ? SPEAKING_OF_REDIS : {};
  describe("", needs(...tools), () => {
    const town = new Town();
    let server: Server;
    let known: Record<string, Trouble>;
    beforeAll(async () => {
      ({ server, troubles: known } = await start());
      await town.start(server.url.replace("postgres@", `${APP}@`), kinds);
      expect(await town.goesOn(60_000)).toEqual([]);
    });
    afterAll(async () => {
      await town.close();
      await server?.remove();
    });

    // By default, a quarter of the cases runs, because each takes ten seconds.
    test.each(drawCases(troubles, Math.ceil(troubles.length / 4)))(
      "continue after it %s, and report the trouble meanwhile",
      { timeout: 240_000 },
      async (name) => {
        const refused = town.limited.refused.length;
        town.said.clear();
        const end = await (known[name] as Trouble)();
        const speakers = speaking[name] ?? ["limit", "inbox"];
        const until = performance.now() + SPEAKS_WITHIN_MS;
        do await setTimeout(WINDOW_MS);
        while (!speakers.every((part) => town.said.has(part)) && performance.now() < until);
        const said = Object.fromEntries([...town.said].map(([part, texts]) => [part, [...texts].slice(0, 2)]));
        await end();
        const backAt = performance.now();
        const still = await town.goesOn(120_000);
        const seconds = ((performance.now() - backAt) / 1_000).toFixed(1);
        // Waits for the last requests above the limit. They arrive within one window after the programs call the
        // database again, which each tries ten times per window.
        await setTimeout(1.2 * WINDOW_MS);
        const over = town.limited.refused.slice(refused).map(({ at }) => at);
        const most = mostInAWindow(over);
        console.log(
          `${name}: on after ${seconds} s, ${most} above the limit of ${LIMIT} in a window, ${over.length} in all`,
          said,
        );
        expect(still).toEqual([]);
        expect(town.ended).toBe(0);
        expect(town.failed).toEqual([]);
        // How many windows an outage lasts depends on the machine; the number of requests in each window does not.
        expect(most).toBeLessThanOrEqual(LIMIT);
        expect(Object.keys(said)).toEqual(expect.arrayContaining([...speakers]));
      },
    );

    test("lose nothing and do nothing twice", async () => {
      await town.rest();
      expect(town.lost).toEqual([]);
      expect(town.answered.size).toBeGreaterThan(100);
      if (kinds !== POSTGRES) return;
      expect(town.feed).toEqual(town.feed.map((_, at) => at + 1));
      const emails = [...town.sandbox.store.users].map(({ email }) => email);
      const wanted = Array.from(
        { length: town.plans * 10 },
        (_, at) => `person-${Math.floor(at / 10) + 1}-${at % 10}@example.com`,
      );
      for (const email of wanted) expect(emails.filter((other) => other === email)).toHaveLength(1);
    });
  });
});
