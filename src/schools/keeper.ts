import { steadyNow, wait } from "../core/clock.js";
import { type SchoolError, schoolError } from "./errors.js";
import type { Endpoints, Grant } from "./protocol.js";
import { afterFailure, decide, entryOf, recordOf, SCHOOL, type SchoolRecord, withTokens } from "./record.js";
import type { SchoolsSettings } from "./settings.js";

const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 250;

/** A refresh whose answer is not written after so many times its time limit has lost its process. */
const ORPHANED_AFTER = 1.5;

/**
 * The tokens of one school, as this process knows them. Of all processes one at a time sends a refresh token: it first writes that it
 * will, and then the answer, before anybody uses it.
 */
export class TokenKeeper {
  readonly school: string;
  readonly #settings: SchoolsSettings;
  readonly #endpoints: Endpoints;
  readonly #ask: (refreshToken: string) => Promise<Grant>;
  #known: SchoolRecord | null = null;
  #pending: Promise<string> | null = null;
  /** A token that was answered with 401. */
  #refused: string | null = null;
  /** A token that a 401 led to and that no other answer has proved yet: another refresh would not help. */
  #unproven: string | null = null;
  /** Since when this process sees the refresh of another one, by its own clock. */
  #foreign: { readonly version: string; readonly since: number } | null = null;

  constructor(
    school: string,
    settings: SchoolsSettings,
    endpoints: Endpoints,
    ask: (refreshToken: string) => Promise<Grant>,
  ) {
    this.school = school;
    this.#settings = settings;
    this.#endpoints = endpoints;
    this.#ask = ask;
  }

  get endpoints(): Endpoints {
    return this.#endpoints;
  }

  /**
   * A token that can be sent now; refreshed if need be, once for all who ask.
   * @throws SchoolError when there is none.
   */
  token(): string | Promise<string> {
    const step = this.#known && this.#decide(this.#known);
    if (this.#known && step === "use") return this.#known.accessToken;
    this.#pending ??= this.#obtain().finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  /** Notes what a token was answered with. */
  answered(token: string, status: number): void {
    if (status !== 401) {
      if (this.#unproven === token) this.#unproven = null;
    } else if (token !== this.#unproven) this.#refused = token;
  }

  /** Forgets what this process knows: the school was connected anew or disconnected. */
  forget(): void {
    this.#known = null;
    this.#refused = null;
    this.#unproven = null;
  }

  async #obtain(): Promise<string> {
    const { clock } = this.#settings;
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(LONGEST_POLL_MS, pause * 2)) {
      const record = await this.#read();
      const step = this.#decide(record);
      switch (step) {
        case "use":
          this.#known = record as SchoolRecord;
          return this.#known.accessToken;
        case "wait":
          await wait(clock, pause, undefined);
          break;
        case "refresh":
          await this.#refresh(record as SchoolRecord);
          break;
        default:
          this.#known = null;
          if (step === "reconnect_needed" && record?.state === "connected") await this.#giveUp(record);
          throw schoolError(step, this.school);
      }
    }
  }

  #decide(record: SchoolRecord | null): ReturnType<typeof decide> {
    const { clock } = this.#settings;
    if (!record?.refreshing) this.#foreign = null;
    else if (this.#foreign?.version !== record.version) {
      this.#foreign = { version: record.version, since: steadyNow(clock) };
    }
    const isOrphaned = steadyNow(clock) - (this.#foreign?.since ?? Infinity) >= this.#orphanedAfterMs;
    return decide(record, { now: clock.now(), refused: this.#refused, isOrphaned });
  }

  get #orphanedAfterMs(): number {
    return this.#settings.timeout * ORPHANED_AFTER;
  }

  async #refresh(record: SchoolRecord): Promise<void> {
    const { clock, on } = this.#settings;
    const refused = record.accessToken === this.#refused;
    if (!(await this.#put({ ...record, refreshing: true }, record.version))) return;
    const askedAt = clock.now();
    const grant = await this.#ask(record.refreshToken as string);
    switch (grant.kind) {
      case "tokens": {
        const isWritten = await this.#settle(record, (now) => withTokens(now, grant, askedAt));
        if (!isWritten) return;
        if (refused) this.#unproven = grant.accessToken;
        on("refreshed", this.school);
        return;
      }
      case "invalid_grant":
        await this.#giveUp(record);
        return;
      default: {
        await this.#settle(record, (now) => afterFailure(now, clock.now()));
        // The caller learns why, unless the token still works.
        const step = this.#decide(await this.#read());
        if (step === "use") return;
        throw this.#failure(grant);
      }
    }
  }

  #failure({ kind, why }: Grant & { readonly why: string }): SchoolError {
    return schoolError(kind === "refused" ? "application_refused" : "unreachable", this.school, why);
  }

  // Only new tokens end this; whoever marks it tells of it, so that it is told once.
  async #giveUp({ generation }: SchoolRecord): Promise<void> {
    const isMarked = await this.#settle({ generation }, (now) =>
      now.state === "reconnect_needed" ? null : { ...now, state: "reconnect_needed", refreshing: false },
    );
    if (isMarked) this.#settings.on("reconnectNeeded", this.school);
  }

  /**
   * Writes what a refresh gave, as long as the school has the tokens that it began with: another process may have taken it for lost
   * meanwhile, but an answer counts more than what others think of it.
   */
  async #settle(
    { generation }: Pick<SchoolRecord, "generation">,
    change: (now: SchoolRecord) => SchoolRecord | null,
  ): Promise<boolean> {
    for (;;) {
      const now = await this.#read();
      const changed = now?.generation === generation ? change(now) : null;
      if (!now || !changed) return false;
      if (await this.#put(changed, now.version)) return true;
    }
  }

  async #read(): Promise<SchoolRecord | null> {
    const entry = await this.#settings.tokens.get(SCHOOL + this.school);
    return entry && recordOf(entry);
  }

  async #put(record: SchoolRecord, replaces: string): Promise<boolean> {
    return this.#settings.tokens.put(entryOf(this.school, record), replaces);
  }
}
