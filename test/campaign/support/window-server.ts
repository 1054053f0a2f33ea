import type { EventClock } from "./event-clock.ts";
import type { Random } from "./random.ts";

export type WindowKind = "fixed" | "sliding";

export const PAGE_SIZE = 100;

/**
 * A service on the simulated clock, behind a network with changing delays. It has lists of affiliations, which are read
 * page by page, and accepts at most `limit` requests in a window. Requests that it refuses do not count.
 */
export class WindowServer {
  readonly #clock: EventClock;
  readonly #random: Random;
  readonly #kind: WindowKind;
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #pages: number;
  // The offset at which the server's windows start, which the client does not know.
  readonly #phase: number;
  readonly #accepted: number[] = [];
  #head = 0;
  readonly #arrived: number[] = [];
  #first = 0;
  #networkMs = 0;
  requests = 0;
  refused = 0;
  largestWindow = 0;
  largestFixedWindow = 0;
  readonly #perFixedWindow = new Map<number, number>();

  constructor(
    clock: EventClock,
    random: Random,
    how: { kind: WindowKind; limit: number; windowMs: number; pages: number },
  ) {
    this.#clock = clock;
    this.#random = random;
    this.#kind = how.kind;
    this.#limit = how.limit;
    this.#windowMs = how.windowMs;
    this.#pages = how.pages;
    this.#phase = random.whole(0, how.windowMs - 1);
  }

  /** The average round trip of a request in milliseconds. */
  get meanNetworkMs(): number {
    return this.requests === 0 ? 0 : this.#networkMs / this.requests;
  }

  readonly fetch = async (input: string, init: RequestInit = {}): Promise<Response> => {
    const there = this.#delay(15, 25);
    const work = this.#delay(60, 80);
    const back = this.#delay(15, 25);
    this.#networkMs += there + work + back;
    await this.#clock.pause(there);
    const answer = this.#answer(new URL(input));
    await this.#clock.pause(work + back);
    init.signal?.throwIfAborted();
    return answer;
  };

  // Returns a delay of at least `least`, and sometimes a much longer one.
  #delay(least: number, mean: number): number {
    return Math.min(3000, least - mean * Math.log(1 - this.#random.next()));
  }

  #answer(url: URL): Response {
    const now = this.#clock.now();
    this.#note(now);
    const wait = this.#kind === "fixed" ? this.#fixedWait(now) : this.#slidingWait(now);
    if (wait > 0) {
      this.refused++;
      const headers = { "retry-after": String(Math.ceil(wait / 1000)) };
      return Response.json({ errors: {}, code: 429, message: "Too many requests" }, { status: 429, headers });
    }
    this.#accepted.push(now);
    const account = Number(url.searchParams.get("account_id") ?? 0);
    if (account === 0) return Response.json(record(1, 1));
    const page = Number(url.searchParams.get("cursor") ?? 0);
    const records = Array.from({ length: PAGE_SIZE }, (_, index) => record(page * PAGE_SIZE + index, account));
    const next =
      page + 1 < this.#pages ? { link: `<${url.origin}${url.pathname}?cursor=${page + 1}>; rel="next"` } : {};
    return Response.json(records, { headers: next });
  }

  // Counts an arriving request, even one that will be refused.
  #note(now: number): void {
    this.requests++;
    this.#arrived.push(now);
    while ((this.#arrived[this.#first] as number) <= now - this.#windowMs) this.#first++;
    this.largestWindow = Math.max(this.largestWindow, this.#arrived.length - this.#first);
    const fixed = this.#windowOf(now);
    const count = (this.#perFixedWindow.get(fixed) ?? 0) + 1;
    this.#perFixedWindow.set(fixed, count);
    this.largestFixedWindow = Math.max(this.largestFixedWindow, count);
  }

  #windowOf(time: number): number {
    return Math.floor((time - this.#phase) / this.#windowMs);
  }

  #fixedWait(now: number): number {
    const window = this.#windowOf(now);
    while (this.#head < this.#accepted.length && this.#windowOf(this.#accepted[this.#head] as number) < window)
      this.#head++;
    if (this.#accepted.length - this.#head < this.#limit) return 0;
    return (window + 1) * this.#windowMs + this.#phase - now;
  }

  #slidingWait(now: number): number {
    while (this.#head < this.#accepted.length && (this.#accepted[this.#head] as number) <= now - this.#windowMs)
      this.#head++;
    if (this.#accepted.length - this.#head < this.#limit) return 0;
    return (this.#accepted[this.#head] as number) + this.#windowMs - now;
  }
}

const TIME = "2026-01-01T00:00:00.000Z";

function record(id: number, account: number): Record<string, unknown> {
  return { id, account_id: account, user_id: 1, key_contact: false, updated_at: TIME, created_at: TIME };
}
