// Receivers on durable inboxes that are killed after every 0.3 to 1.5 seconds of life, while senders repeat, reorder
// and duplicate events, and listeners are slow, fail or hang. Promises, with `outOfOrder: "drop"`: every delivery that
// got a 200 is handled or was outdated, no record goes back to an older version or ends with one, and an effect happens
// twice only if a process was killed between the effect and recording it.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { signWebhook } from "education-admin-sdk/webhooks";
import { startPostgres, startRedis } from "../stores/support/servers.ts";
import { reportMissing } from "../support/tools.ts";
import { type CampaignOptions, campaign, command, type Figures, type Promises, round } from "./support/command.ts";
import { createRandom, type Random, seedOf } from "./support/random.ts";
import { type LogLine, openLog, tail } from "./support/webhook-log.ts";
import type { InboxKind, WebhookWork } from "./support/webhook-worker.ts";

/** The figures of one inbox. */
export interface WebhookRun {
  readonly inbox: InboxKind;
  readonly processes: number;
  readonly seconds: number;
  readonly kills: number;
  /** The number of requests that senders made: events, duplicates, and repetitions after a status other than 200. */
  readonly posts: number;
  /**
   * The number of requests that were repeated after another status, a broken connection or 10 seconds without a
   * response.
   */
  readonly repeated: number;
  readonly began: number;
  readonly effects: number;
  readonly dropped: number;
  /** The number of deliveries that got a 200 but are missing from the log. */
  readonly lost: number;
  /** The number of deliveries whose listeners began but that neither had an effect nor were dropped. */
  readonly neverHandled: number;
  /** The number of effects of an older version that followed an effect of a newer one. */
  readonly backwards: number;
  readonly oldInTheEnd: number;
  readonly twice: number;
  /**
   * The number of second effects that no kill explains: the first process was not killed, or had recorded the delivery
   * as done.
   */
  readonly twiceUnexplained: number;
}

export interface WebhookFigures extends Figures {
  readonly events: number;
  readonly records: number;
  readonly notTested: readonly string[];
  readonly runs: readonly WebhookRun[];
}

const VERSIONS = 10;
/**
 * The shortest and the longest life of a receiver, in milliseconds. The short campaign takes only about a second, so
 * its receivers live for less.
 */
type Lives = readonly [number, number];
const LIVES_MS: Lives = [300, 1_500];
const SHORT_LIVES_MS: Lives = [100, 400];
const SECRET = "a secret for the campaign";
/** How long a receiver takes to start on an idle machine. */
const QUICK_START_MS = 400;
const SENDERS = 16;
const SENDER_TIMEOUT_MS = 10_000;
const WORKER = fileURLToPath(new URL("./support/webhook-worker.ts", import.meta.url));

/** The inboxes, and how many processes use each. */
const CONFIGURATIONS: readonly { inbox: InboxKind; processes: number; why: () => string | null }[] = [
  { inbox: "sqlite", processes: 1, why: () => null },
  { inbox: "sqlite", processes: 2, why: () => null },
  { inbox: "postgres", processes: 2, why: () => reportMissing("postgres") },
  { inbox: "bullmq", processes: 2, why: () => reportMissing("redis") },
];

interface Sent {
  readonly record: number;
  readonly version: number;
}

export function run(options: CampaignOptions = {}): Promise<WebhookFigures> {
  return campaign("webhooks", options, async ({ seed, long, promises }) => {
    const records = long ? 500 : 40;
    const runs: WebhookRun[] = [];
    const notTested: string[] = [];
    for (const { inbox, processes, why } of CONFIGURATIONS) {
      const reason = why();
      if (reason !== null) notTested.push(reason);
      else runs.push(await oneRun(inbox, processes, records, long ? LIVES_MS : SHORT_LIVES_MS, seed, promises));
    }
    return { events: records * VERSIONS, records, notTested, runs };
  });
}

async function startDatabase(inbox: InboxKind, folder: string): Promise<{ url: string; remove(): Promise<unknown> }> {
  if (inbox === "postgres") return startPostgres();
  if (inbox === "bullmq") return startRedis();
  return { url: join(folder, "inbox.sqlite"), remove: async () => undefined };
}

async function oneRun(
  inbox: InboxKind,
  count: number,
  records: number,
  lives: Lives,
  seed: number,
  promises: Promises,
): Promise<WebhookRun> {
  const started = performance.now();
  const random = createRandom(seedOf(seed, "webhooks", inbox, count));
  const folder = mkdtempSync(join(tmpdir(), "webhooks-campaign-"));
  const database = await startDatabase(inbox, folder);
  const log = join(folder, "log");
  const processes = new Processes(count, { kind: inbox, url: database.url, log, secret: SECRET, seed });
  const read = tail(log);
  const ledger = new Ledger(records);
  try {
    await processes.start();
    const killing = processes.killUntilTold(random, lives);
    const { posts, repeated } = await send(eventsOf(records, random), processes, random);
    // The kills continue until all deliveries are handled, but for at most as long again (and at least 20 seconds).
    const until = performance.now() + Math.max(20_000, performance.now() - started);
    while (ledger.add(read()).open > 0 && performance.now() < until) await setTimeout(200);
    processes.stopKilling();
    await killing;
    // Deliveries that the last kill interrupted come back when their leases end.
    for (let waited = 0; ledger.add(read()).open > 0 && waited < 60_000; waited += 200) await setTimeout(200);
    const codes = await processes.end();
    ledger.add(read());
    const name = `${inbox} with ${count}`;
    promises.check(
      codes.every((code) => code === 0),
      "a process ends cleanly",
      `${name}: ${codes}`,
    );
    const figures = ledger.figures();
    promises.check(figures.lost === 0, "what was answered is not lost", `${name}: ${figures.lost}`);
    promises.check(figures.neverHandled === 0, "everything is handled", `${name}: ${figures.neverHandled}`);
    promises.check(figures.backwards === 0, "no record goes backwards", `${name}: ${figures.backwards}`);
    promises.check(figures.oldInTheEnd === 0, "no record ends in an old state", `${name}: ${figures.oldInTheEnd}`);
    promises.check(
      figures.twiceUnexplained === 0,
      "an effect happens twice only after a kill",
      `${name}: ${figures.twiceUnexplained}`,
    );
    const seconds = round((performance.now() - started) / 1_000, 1);
    return { inbox, processes: count, seconds, kills: processes.kills, posts, repeated, ...figures };
  } finally {
    await processes.end("SIGKILL");
    await database.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every version of every record, out of order: some arrive after their successor, and one in ten arrives twice. */
function eventsOf(records: number, random: Random): Sent[] {
  const sent: { event: Sent; at: number }[] = [];
  for (let version = 1; version <= VERSIONS; version++) {
    for (let record = 1; record <= records; record++) {
      const event = { record, version };
      const at = sent.length + random.next() * records * 1.6;
      sent.push({ event, at });
      if (random.chance(0.1)) sent.push({ event, at: at + random.next() * records });
    }
  }
  return sent.sort((one, other) => one.at - other.at).map(({ event }) => event);
}

/** Sends every event until the response is 200. */
async function send(
  events: Sent[],
  processes: Processes,
  random: Random,
): Promise<{ posts: number; repeated: number }> {
  let posts = 0;
  let repeated = 0;
  const sender = async () => {
    for (let event = events.shift(); event; event = events.shift()) {
      const body = bodyOf(event);
      for (;;) {
        posts++;
        if ((await post(processes.anyUrl(random), body)) === 200) break;
        repeated++;
        await setTimeout(random.whole(20, 200));
      }
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return { posts, repeated };
}

function bodyOf({ record, version }: Sent): string {
  // The times are in the past, because a time ahead of the clock does not count when deliveries are ordered.
  const updated_at = new Date(Date.UTC(2025, 0, 1, 9, 0, version)).toISOString();
  const event_data = { id: record, type: "enrollment", version, updated_at };
  return JSON.stringify({ tenant_id: "t", educator: "school", event: "enrollment.updated", event_data });
}

async function post(url: string, body: string): Promise<number> {
  try {
    // Each attempt is signed anew, because the signature includes the time.
    const headers = { ...(await signWebhook({ body, secrets: SECRET })), "content-type": "application/json" };
    const signal = AbortSignal.timeout(SENDER_TIMEOUT_MS);
    const answer = await fetch(url, { method: "POST", body, headers, signal });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}

interface Receiver {
  readonly child: ChildProcess;
  readonly url: string;
  readonly number: number;
  readonly startMs: number;
}

/** The receivers. A killed receiver is restarted. */
class Processes {
  kills = 0;
  readonly #log: (line: LogLine) => void;
  readonly #work: Omit<WebhookWork, "process">;
  readonly #slots: Receiver[] = [];
  readonly #count: number;
  #started = 0;
  #isKilling = true;

  constructor(count: number, work: Omit<WebhookWork, "process">) {
    this.#count = count;
    this.#work = work;
    this.#log = openLog(work.log);
  }

  async start(): Promise<void> {
    for (let slot = 0; slot < this.#count; slot++) this.#slots.push(await this.#startOne());
  }

  anyUrl(random: Random): string {
    return random.pick(this.#slots).url;
  }

  async killUntilTold(random: Random, [shortest, longest]: Lives): Promise<void> {
    await Promise.all(
      this.#slots.map(async (_, slot) => {
        for (;;) {
          // A receiver's life begins when it listens. If the machine was slow to start the receiver, its life is
          // longer.
          const slow = Math.max(1, (this.#slots[slot]?.startMs ?? 0) / QUICK_START_MS);
          await setTimeout(slow * random.whole(shortest, longest));
          const running = this.#slots[slot];
          if (!this.#isKilling || !running) return;
          this.kills++;
          await killAndWait(running.child, "SIGKILL");
          this.#log({ step: "killed", delivery: "-", record: 0, version: 0, process: running.number });
          this.#slots[slot] = await this.#startOne();
        }
      }),
    );
  }

  stopKilling(): void {
    this.#isKilling = false;
  }

  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<(number | null)[]> {
    return Promise.all(this.#slots.splice(0).map(({ child }) => killAndWait(child, signal)));
  }

  async #startOne(): Promise<Receiver> {
    const started = performance.now();
    const number = ++this.#started;
    const work: WebhookWork = { ...this.#work, process: number };
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", WORKER, JSON.stringify(work)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout?.once("data", (chunk) => resolve(String(chunk).trim()));
      child.once("exit", (code) => reject(new Error(`A receiver ended with ${code}`)));
    });
    return { child, url, number, startMs: performance.now() - started };
  }
}

function killAndWait(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.kill(signal);
  return exit;
}

/** Collects the lines of the log and computes the figures from them. */
class Ledger {
  readonly #records: number;
  readonly #lines: LogLine[] = [];
  readonly #settled = new Set<string>();

  constructor(records: number) {
    this.#records = records;
  }

  add(lines: readonly LogLine[]): this {
    for (const line of lines) {
      this.#lines.push(line);
      if (line.step === "effect" || line.step === "dropped") this.#settled.add(nameOf(line));
    }
    return this;
  }

  /** The number of versions that have had no effect yet and were not dropped. */
  get open(): number {
    return this.#records * VERSIONS - this.#settled.size;
  }

  figures(): Omit<WebhookRun, "inbox" | "processes" | "seconds" | "kills" | "posts" | "repeated"> {
    const killed = new Set<number>();
    const seen = new Set<string>();
    const newest = new Map<number, number>();
    const effectOf = new Map<string, number>();
    const noted = new Set<string>();
    const counts = { began: 0, effects: 0, dropped: 0, backwards: 0, twice: 0, twiceUnexplained: 0 };
    for (const line of this.#lines) {
      const { step, record, version, process, delivery } = line;
      if (step === "killed") {
        killed.add(process);
        continue;
      }
      seen.add(nameOf(line));
      if (step === "began") counts.began++;
      if (step === "dropped") counts.dropped++;
      if (step === "done") noted.add(`${process} ${delivery}`);
      if (step !== "effect") continue;
      counts.effects++;
      const before = effectOf.get(delivery);
      if (before !== undefined) {
        counts.twice++;
        if (!killed.has(before) || before === process || noted.has(`${before} ${delivery}`)) counts.twiceUnexplained++;
      }
      effectOf.set(delivery, process);
      if (version < (newest.get(record) ?? 0)) counts.backwards++;
      newest.set(record, version);
    }
    const all = this.#records * VERSIONS;
    const oldInTheEnd = [...newest.values()].filter((version) => version !== VERSIONS).length;
    return {
      ...counts,
      lost: all - seen.size,
      neverHandled: seen.size - this.#settled.size,
      oldInTheEnd: oldInTheEnd + this.#records - newest.size,
    };
  }
}

function nameOf({ record, version }: LogLine): string {
  return `${record} ${version}`;
}

if (import.meta.main) await command(run);
