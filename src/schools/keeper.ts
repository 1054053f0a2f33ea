import { type Clock, wait } from "../core/clock.js";
import { EducationAdminError } from "../core/errors.js";
import { momentOf } from "../core/time.js";
import { SchoolError, schoolError } from "./errors.js";
import type { Endpoints, Grant } from "./protocol.js";
import { afterFailure, decide, entryOf, recordOf, SCHOOL, type SchoolRecord, withTokens } from "./record.js";
import type { SchoolsSettings } from "./settings.js";

const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 250;

// A store that is away for longer than these pauses, 25 seconds together, is not waited for.
const MOST_STORE_FAILURES = 8;
const FIRST_STORE_PAUSE_MS = 100;

/**
 * After this time the store is asked whether the school is still connected: another process may have disconnected it. So it is let go
 * everywhere within a minute, though the store fails twice meanwhile.
 */
const LOOK_AGAIN_MS = 20_000;

/** A refresh whose response is not written after so many times its time limit has lost its process. */
const ORPHANED_AFTER = 1.5;

/**
 * The tokens of one school, as this process knows them. Of all processes one at a time sends a refresh token: it first writes that it
 * will, and then the response, before anybody uses it.
 */
export class TokenKeeper {
  readonly school: string;
  readonly #settings: SchoolsSettings;
  readonly #endpoints: Endpoints;
  readonly #ask: (refreshToken: string) => Promise<Grant>;
  #known: SchoolRecord | null = null;
  /** When the store was last asked for it, by the steady clock. */
  #askedAt = 0;
  #pending: Promise<string> | null = null;
  /** Writes what a refresh gave and the store has not taken: it is nowhere else. */
  #unwritten: (() => Promise<SchoolRecord | null>) | null = null;
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
    const known = this.#usable();
    if (known && momentOf(this.#settings.clock) - this.#askedAt < LOOK_AGAIN_MS) return known.accessToken;
    this.#pending ??= this.#obtain()
      .catch((error: unknown) => {
        // A store that fails for a moment ends no calls whose token is good.
        const still = error instanceof SchoolError ? null : this.#usable();
        if (!still && error instanceof EducationAdminError) throw error;
        if (!still) throw schoolError("unreachable", this.school, "the token store failed", error);
        this.#askedAt = momentOf(this.#settings.clock);
        return still.accessToken;
      })
      .finally(() => {
        this.#pending = null;
      });
    return this.#pending;
  }

  // While another process refreshes, the store is asked again: its token may soon be the only one that works.
  #usable(): SchoolRecord | null {
    const known = this.#known;
    return known && !known.refreshing && this.#decide(known, false) === "use" ? known : null;
  }

  #know(record: SchoolRecord): string {
    this.#known = record;
    this.#askedAt = momentOf(this.#settings.clock);
    return record.accessToken;
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
    await this.#unwritten?.();
    this.#unwritten = null;
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(LONGEST_POLL_MS, pause * 2)) {
      const record = await this.#read();
      const step = this.#decide(record, this.#isOrphaned(record));
      switch (step) {
        case "use":
          return this.#know(record as SchoolRecord);
        case "wait":
          await wait(clock, pause, undefined);
          break;
        case "refresh": {
          const token = await this.#refresh(record as SchoolRecord);
          // However short it lasts: another refresh would give none that lasts longer.
          if (token !== null) return token;
          break;
        }
        default:
          this.#known = null;
          if (step === "reconnect_needed" && record?.state === "connected") await this.#giveUp(record);
          throw schoolError(step, this.school);
      }
    }
  }

  #decide(record: SchoolRecord | null, isOrphaned: boolean): ReturnType<typeof decide> {
    return decide(record, { now: this.#settings.clock.now(), refused: this.#refused, isOrphaned });
  }

  /** Whether this process has seen the refresh of another one for longer than any takes: the clocks of machines differ. */
  #isOrphaned(record: SchoolRecord | null): boolean {
    const { clock, timeout } = this.#settings;
    const now = momentOf(clock);
    if (!record?.refreshing) this.#foreign = null;
    else if (this.#foreign?.version !== record.version) this.#foreign = { version: record.version, since: now };
    return this.#foreign !== null && now - this.#foreign.since >= timeout * ORPHANED_AFTER;
  }

  /** Refreshes the tokens. @returns the new one; null if the store says more. */
  async #refresh(record: SchoolRecord): Promise<string | null> {
    const { clock, on } = this.#settings;
    const refused = record.accessToken === this.#refused;
    if (!(await this.#put({ ...record, refreshing: true }, record.version))) return null;
    const askedAt = clock.now();
    const grant = await this.#ask(record.refreshToken as string);
    switch (grant.kind) {
      case "tokens": {
        const write = () => this.#settle(record, (now) => withTokens(now, grant, askedAt));
        const written = await surely(clock, write).catch(() => {
          this.#unwritten = write;
          return withTokens(record, grant, askedAt);
        });
        if (!written) return null;
        this.#know(written);
        if (refused) this.#unproven = written.accessToken;
        on("refreshed", this.school);
        return written.accessToken;
      }
      case "invalid_grant":
        await this.#giveUp(record);
        return null;
      default: {
        await this.#settle(record, (now) => afterFailure(now, clock.now()));
        // The caller learns why, unless the token still works.
        if (this.#decide(await this.#read(), false) === "use") return null;
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
   * meanwhile, but a response counts more than what others think of it.
   */
  async #settle(
    { generation }: Pick<SchoolRecord, "generation">,
    change: (now: SchoolRecord) => SchoolRecord | null,
  ): Promise<SchoolRecord | null> {
    for (;;) {
      const now = await this.#read();
      const changed = now?.generation === generation ? change(now) : null;
      if (!now || !changed) return null;
      if (await this.#put(changed, now.version)) return changed;
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

/** Writes tokens, and goes on when the store fails for a moment: they are nowhere else. */
export async function surely<T>(clock: Clock, write: (failures: number) => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await write(failures);
    } catch (error) {
      if (failures === MOST_STORE_FAILURES) throw error;
      await wait(clock, FIRST_STORE_PAUSE_MS * 2 ** failures, undefined);
    }
  }
}
