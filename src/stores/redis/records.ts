import type { RecordVersion, WebhookDelivery, WebhookRecords } from "../../webhooks/store.js";
import type { RunScript } from "./connection.js";

// Each record has a lock and a sorted set of the jobs that wait for it. Jobs are sorted by time of receipt; the current
// job has the score -1, so that it stays first even if its worker ended.
const JOIN = `
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]
local place = math.max(tonumber(ARGV[2]), (tonumber(last) or 0) + 1)
redis.call('ZADD', KEYS[1], 'NX', string.format('%.0f', place), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])`;
const LEAVE = `redis.call('ZREM', KEYS[1], ARGV[1])`;
// Returns 1 if the lock was taken, 0 if another worker has locked the record, or the id of the first job if that job
// must run before this one. A job that BullMQ hands out again takes over its own lock, because its previous worker
// ended or stalled.
const LOCK = `
local holder = redis.call('GET', KEYS[1])
local isHeld = holder and holder ~= ARGV[1]
if ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[2], 'NX', ARGV[4], ARGV[3])
  redis.call('PEXPIRE', KEYS[2], ARGV[5])
  local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
  if first[1] ~= ARGV[3] then return isHeld and 0 or first[1] end
  isHeld = isHeld and first[2] ~= '-1'
end
if isHeld then return 0 end
if ARGV[3] ~= '' then redis.call('ZADD', KEYS[2], 'XX', -1, ARGV[3]) end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
const UNLOCK = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return false end
redis.call('DEL', KEYS[1])
if ARGV[2] ~= '' then redis.call('ZREM', KEYS[2], ARGV[2]) end
return redis.call('ZRANGE', KEYS[2], 0, 0)[1]`;
const IS_NEXT = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
return redis.call('ZRANGE', KEYS[2], 0, 0)[1] == ARGV[1] and 1 or 0`;
const NEWEST = `return redis.call('GET', KEYS[1])`;
const HANDLED = `
local newest = redis.call('GET', KEYS[1])
if not newest or tonumber(newest) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end`;

export interface JobsOfRecord {
  /** The state of a job, in BullMQ's terms. */
  state(jobId: string): PromiseLike<string>;
  promote(jobId: string): PromiseLike<unknown>;
}

/** The BullMQ id of a delivery's job. BullMQ accepts no numeric ids. */
export function jobIdOf({ id }: Pick<WebhookDelivery, "id">): string {
  return `delivery-${id}`;
}

/** The order of each record's jobs, its lock and its version, shared by all workers through Redis. */
export class RedisRecords implements WebhookRecords {
  readonly #run: RunScript;
  readonly #prefix: string;
  readonly #keepMs: number;
  readonly #jobs: JobsOfRecord;

  constructor(run: RunScript, { prefix, keepMs }: { prefix: string; keepMs: number }, jobs: JobsOfRecord) {
    this.#run = run;
    this.#prefix = prefix;
    this.#keepMs = keepMs;
    this.#jobs = jobs;
  }

  /** Puts a delivery behind the earlier deliveries of its record. */
  async join(record: string, delivery: WebhookDelivery): Promise<void> {
    await this.#run(JOIN, [this.#key("waiting", record)], [jobIdOf(delivery), placeOf(delivery), this.#keepMs]);
  }

  async leave(record: string, jobId: string): Promise<void> {
    await this.#run(LEAVE, [this.#key("waiting", record)], [jobId]);
  }

  async lock(record: string, holder: string, until: number, delivery?: WebhookDelivery): Promise<boolean> {
    // Passes a duration instead of the time `until`, because the clocks of machines differ.
    const ms = Math.max(1, Math.ceil(until - Date.now()));
    const place = delivery ? [jobIdOf(delivery), placeOf(delivery), this.#keepMs] : ["", "", ""];
    for (;;) {
      const answer = await this.#run(LOCK, this.#keys(record), [holder, ms, ...place]);
      if (typeof answer !== "string") return answer === 1;
      // Removes the first job if it will never run, because its receiver ended before adding it or its worker ended
      // before removing it.
      if (!["completed", "failed", "unknown"].includes(await this.#jobs.state(answer))) return false;
      await this.leave(record, answer);
    }
  }

  async unlock(record: string, holder: string, delivery?: WebhookDelivery): Promise<void> {
    const next = await this.#run(UNLOCK, this.#keys(record), [holder, delivery ? jobIdOf(delivery) : ""]);
    // An error is harmless: the job was not delayed, or it runs when its delay ends.
    if (typeof next === "string") await Promise.resolve(this.#jobs.promote(next)).catch(() => undefined);
  }

  /** True if a job is the first of its record and no worker has locked the record. */
  async isNext(record: string, jobId: string): Promise<boolean> {
    return (await this.#run(IS_NEXT, this.#keys(record), [jobId])) === 1;
  }

  async newest(record: string): Promise<number | null> {
    const newest = await this.#run(NEWEST, [this.#key("version", record)], []);
    return newest === null ? null : Number(newest);
  }

  async handled({ record, updatedAt }: RecordVersion): Promise<void> {
    await this.#run(HANDLED, [this.#key("version", record)], [updatedAt, this.#keepMs]);
  }

  #keys(record: string): string[] {
    return [this.#key("lock", record), this.#key("waiting", record)];
  }

  #key(what: string, record: string): string {
    return `${this.#prefix}inbox:${what}:{${record}}`;
  }
}

/** The time of receipt in microseconds, so that deliveries received in the same millisecond can be ordered. */
function placeOf({ receivedAt }: WebhookDelivery): number {
  return Math.round(receivedAt * 1_000);
}
