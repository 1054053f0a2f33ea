import { type Clock, wait } from "../core/clock.js";
import { EducationAdminError } from "../core/errors.js";
import { later, type Moment, momentOf } from "../core/time.js";
import { pauseAfter } from "../work/schedule.js";
import { SchoolError, schoolError } from "./errors.js";
import type { Endpoints, Grant } from "./protocol.js";
import { afterFailure, decide, entryOf, recordOf, SCHOOL, type SchoolRecord, withTokens } from "./record.js";
import type { SchoolsSettings } from "./settings.js";

const POLLS = { firstMs: 20, mostMs: 250 };

// The process stops retrying the store after this many failures; its pauses add up to 25 seconds.
const MOST_STORE_FAILURES = 8;
const STORE_PAUSES = { firstMs: 100, mostMs: Number.POSITIVE_INFINITY };

/**
 * Milliseconds after which the store is read again, because another process may have disconnected the school. A process
 * thus stops using the school within a minute, even if the store fails twice.
 */
const LOOK_AGAIN_MS = 20_000;

/**
 * Milliseconds before the process retries a school that refused the application: the school may have corrected the
 * application's registration.
 */
const REFUSED_MS = 300_000;

/** Milliseconds without an accepted request after which a 403 or 404 may mean that a token has expired. */
const SILENT_MS = 300_000;

/** A refresh counts as abandoned if its response has not been stored after this multiple of the time limit. */
const ORPHANED_AFTER = 1.5;

/**
 * The tokens of one school in this process. Only one process at a time sends a refresh token: it first stores that a
 * refresh has begun, and stores the response before any call uses the new tokens.
 */
export class TokenKeeper {
  readonly school: string;
  readonly #settings: SchoolsSettings;
  readonly #endpoints: Endpoints;
  readonly #ask: (refreshToken: string) => Promise<Grant>;
  #known: SchoolRecord | null = null;
  /** When this process last read the school from the store, by the monotonic clock. */
  #askedAt = 0;
  #pending: Promise<string> | null = null;
  /** Stores refreshed tokens that exist only in this process, because the store failed. */
  #unwritten: (() => Promise<SchoolRecord | null>) | null = null;
  /** A token to which the service responded with 401. */
  #refused: string | null = null;
  #acceptedAt = 0;
  /**
   * A token that was obtained after a 401 and that the service has not accepted yet. If the service refuses it, another
   * refresh would not help.
   */
  #unproven: string | null = null;
  /**
   * Why the school refused the application, and the time until which this process does not try again. Not stored,
   * because other processes may have another secret.
   */
  #refusal: { readonly why: string; readonly until: Moment } | null = null;
  /** Another process's refresh, and when this process first saw it, by its own clock. */
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
   * Returns a token that can be sent now. If this requires a refresh, all callers wait for the same one.
   * @throws SchoolError if there is none.
   */
  token(): string | Promise<string> {
    const known = this.#usable();
    if (known && momentOf(this.#settings.clock) - this.#askedAt < LOOK_AGAIN_MS) return known.accessToken;
    this.#pending ??= this.#obtain()
      .catch((error: unknown) => {
        // A short failure of the store must not fail a call whose token is still valid.
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

  // Null while another process refreshes the tokens, because the new token may soon be the only valid one.
  #usable(): SchoolRecord | null {
    const known = this.#known;
    return known && !known.refreshing && this.#decide(known, false) === "use" ? known : null;
  }

  #know(record: SchoolRecord): string {
    this.#known = record;
    this.#askedAt = momentOf(this.#settings.clock);
    return record.accessToken;
  }

  noteResponse(token: string, status: number): void {
    const isDenied = status === 403 || status === 404;
    if (status === 401 || (isDenied && this.#mayHaveEnded(token))) {
      if (token !== this.#unproven) this.#refused = token;
    } else if (!isDenied) {
      this.#acceptedAt = this.#settings.clock.now();
      if (this.#unproven === token) this.#unproven = null;
    }
  }

  // RFC 6750 only recommends a 401 for an expired token. Without `expires_in`, a token that the service has not
  // accepted for some minutes may therefore have expired. A newly issued token counts as valid, so that refreshes do
  // not loop.
  #mayHaveEnded(token: string): boolean {
    const { accessToken, expiresAt, refreshedAt, connectedAt } = this.#known ?? {};
    if (accessToken !== token || expiresAt !== null) return false;
    const last = Math.max(this.#acceptedAt, refreshedAt ?? connectedAt ?? 0);
    return this.#settings.clock.now() - last >= SILENT_MS;
  }

  /** Forgets the tokens in memory, because the school was connected again or disconnected. */
  forget(): void {
    this.#known = null;
    this.#refused = null;
    this.#unproven = null;
    this.#refusal = null;
  }

  async #obtain(): Promise<string> {
    const { clock } = this.#settings;
    await this.#unwritten?.();
    this.#unwritten = null;
    for (let looks = 1; ; looks++) {
      const record = await this.#read();
      const step = this.#decide(record, this.#isOrphaned(record));
      switch (step) {
        case "use":
          return this.#know(record as SchoolRecord);
        case "wait":
          await wait(clock, pauseAfter(looks, POLLS), undefined);
          break;
        case "refresh": {
          const token = await this.#refresh(record as SchoolRecord);
          // Uses the new token even if it expires soon: another refresh would not give a token that lasts longer.
          if (token !== null) return token;
          break;
        }
        default:
          this.#known = null;
          if (step === "reconnect_needed" && record?.state === "connected") await this.#giveUp(record);
          if (step === "unreachable" && this.#isHeldBack()) throw this.#failure("refused", this.#refusal?.why);
          throw schoolError(step, this.school, step === "unreachable" ? record?.why : "");
      }
    }
  }

  #decide(record: SchoolRecord | null, isOrphaned: boolean): ReturnType<typeof decide> {
    const [now, isHeldBack] = [this.#settings.clock.now(), this.#isHeldBack()];
    return decide(record, { now, refused: this.#refused, isOrphaned, isHeldBack });
  }

  #isHeldBack(): boolean {
    return this.#refusal !== null && momentOf(this.#settings.clock) < this.#refusal.until;
  }

  /**
   * True if another process's refresh has lasted longer than any refresh can take, by this process's own clock, because
   * the clocks of machines differ.
   */
  #isOrphaned(record: SchoolRecord | null): boolean {
    const { clock, timeout } = this.#settings;
    const now = momentOf(clock);
    if (!record?.refreshing) this.#foreign = null;
    else if (this.#foreign?.version !== record.version) this.#foreign = { version: record.version, since: now };
    return this.#foreign !== null && now - this.#foreign.since >= timeout * ORPHANED_AFTER;
  }

  /** @returns the new access token; null if the store must be read again. */
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
        this.#refusal = null;
        if (refused) this.#unproven = written.accessToken;
        on("refreshed", this.school);
        return written.accessToken;
      }
      case "invalid_grant":
        await this.#giveUp(record);
        return null;
      default: {
        const { kind, why } = grant;
        if (kind === "refused") this.#refusal = { why, until: later(momentOf(clock), REFUSED_MS) };
        await this.#settle(record, (now) =>
          kind === "refused" ? { ...now, refreshing: false } : afterFailure(now, clock.now(), why),
        );
        // The caller gets the error, unless the old token still works.
        if (this.#decide(await this.#read(), false) === "use") return null;
        throw this.#failure(kind, why);
      }
    }
  }

  #failure(kind: "refused" | "unreachable", why: string | undefined): SchoolError {
    return schoolError(kind === "refused" ? "application_refused" : "unreachable", this.school, why);
  }

  // Only new tokens end `reconnect_needed`. Only the process that stores this state calls the observer, so that it is
  // called once.
  async #giveUp({ generation }: SchoolRecord): Promise<void> {
    const isMarked = await this.#settle({ generation }, (now) =>
      now.state === "reconnect_needed" ? null : { ...now, state: "reconnect_needed", refreshing: false },
    );
    if (isMarked) this.#settings.on("reconnectNeeded", this.school);
  }

  /**
   * Stores the result of a refresh if the school still has the tokens with which the refresh began, even if another
   * process has meanwhile assumed that the refresh was abandoned.
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

/** Stores tokens, and retries if the store fails temporarily, because the tokens exist nowhere else. */
export async function surely<T>(clock: Clock, write: (failures: number) => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await write(failures);
    } catch (error) {
      if (failures === MOST_STORE_FAILURES) throw error;
      await wait(clock, pauseAfter(failures + 1, STORE_PAUSES), undefined);
    }
  }
}
