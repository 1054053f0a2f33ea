import type { RecordVersion, WebhookRecords } from "../../webhooks/store.js";
import type { RunScript } from "./connection.js";

// Redis runs a script as one step, so that no other process comes between its lines.
const LOCK = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
const UNLOCK = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;
const NEWEST = `return redis.call('GET', KEYS[1])`;
const HANDLED = `
local newest = redis.call('GET', KEYS[1])
if not newest or tonumber(newest) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end`;

/** Locks and versions of records in Redis, for all workers together. */
export class RedisRecords implements WebhookRecords {
  readonly #run: RunScript;
  readonly #prefix: string;
  readonly #keepMs: number;

  constructor(run: RunScript, prefix: string, keepMs: number) {
    this.#run = run;
    this.#prefix = prefix;
    this.#keepMs = keepMs;
  }

  async lock(record: string, holder: string, until: number): Promise<boolean> {
    // As a duration: the clocks of machines differ.
    const ms = Math.max(1, Math.ceil(until - Date.now()));
    return (await this.#run(LOCK, [this.#key("lock", record)], [holder, ms])) === 1;
  }

  async unlock(record: string, holder: string): Promise<void> {
    await this.#run(UNLOCK, [this.#key("lock", record)], [holder]);
  }

  async newest(record: string): Promise<number | null> {
    const newest = await this.#run(NEWEST, [this.#key("version", record)], []);
    return newest === null ? null : Number(newest);
  }

  async handled({ record, updatedAt }: RecordVersion): Promise<void> {
    await this.#run(HANDLED, [this.#key("version", record)], [updatedAt, this.#keepMs]);
  }

  #key(what: string, record: string): string {
    return `${this.#prefix}inbox:${what}:{${record}}`;
  }
}
