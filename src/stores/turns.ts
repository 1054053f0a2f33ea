// The state of one rate limit window, and the rules that decide which key gets the next place: see
// docs/decisions/turns.md. All times are in milliseconds, by the window's clock. Every process replays the same steps,
// so a result must depend only on the window and the steps.

/**
 * The version of these rules. Increment it with every change to a decision: processes with different rules then count
 * separately.
 */
export const RULES = 2;

/**
 * A place in the window: when it becomes free, and whether a batch request holds it. While the request is in flight,
 * also its `slot` and, if the place was granted ahead of time, the time from which it may be used.
 */
export type Place = [freesAt: number, batch: 0 | 1, slot?: string, from?: number];

export interface KeyState {
  /** The time until which the key counts as active, so that the other keys get a smaller share. */
  knownUntil: number;
  places: Place[];
  /**
   * The waits of an interactive (0) and a batch request (1): when each began, and the time until which its turn is
   * kept.
   */
  waits: Partial<Record<0 | 1, [since: number, endsAt: number]>>;
}

/** The window of one key, or of all keys of an application. */
export interface Window {
  /** The time of the latest step of any process. */
  seen: number;
  blockedUntil: number;
  /** When a key with at least its share of the places may get another one. */
  spacedUntil: number;
  keys: Record<string, KeyState>;
}

/** A request for a place. Times are whole milliseconds. */
export interface Ask {
  readonly key: string;
  /** True if several keys share the window and take turns. */
  readonly shared: boolean;
  readonly batch: 0 | 1;
  readonly requests: number;
  readonly batchRequests: number;
  readonly windowMs: number;
  readonly leaseMs: number;
  /** Identifies the request's place; unique among the requests in flight. */
  readonly slot: string;
  /**
   * How long the database takes to reply, in milliseconds; undefined if the process itself reads the database's file.
   */
  readonly tripMs?: number;
}

export type Step =
  | ({ readonly do: "reserve" } & Ask)
  | {
      readonly do: "settle";
      readonly key: string;
      readonly slot: string;
      /** Milliseconds from the response until the place is free; null if the request was not sent. */
      readonly freesInMs: number | null;
      /** How long the step waited in its process before it was sent, in milliseconds. */
      readonly agoMs: number;
    }
  | { readonly do: "block"; readonly ms: number };

export interface Ran {
  /** When the step ran, by the window's clock. */
  readonly now: number;
  readonly answer: Answer | null;
  readonly used: number;
  /** When the next place becomes free or the block ends; null if that depends on requests in flight. */
  readonly at: number | null;
}

/**
 * A place, with the time from which it may be used if that is later than now; or a refusal, with the time to try again,
 * null if that depends on requests in flight.
 */
export type Answer =
  | { readonly granted: true; readonly from?: number }
  | { readonly granted: false; readonly at: number | null; readonly blocked: boolean };

/** A key counts as active for this many windows after its last request. */
const KEY_WINDOWS = 10;

/** The limit is divided among at least this many keys, so that the first key does not take the whole window at once. */
const LEAST_KEYS = 10;

/** The fraction of the limit that keys above their share may use; the rest is left for bursts of other keys. */
const SPACED_PART = 0.98;

/** A key above its share may also use places left unused during the last 1/20 of a window's length. */
const CATCH_UP = 20;

/**
 * A place is granted ahead of time if it becomes free within half a round trip plus this many milliseconds, or plus a
 * hundredth of the window if that is less.
 */
const MOST_SOON_MS = 100;

/** Maximum pause before a key whose turn has not come tries again, in milliseconds. */
const MOST_POLL_MS = 250;

export function newWindow(): Window {
  return { seen: 0, blockedUntil: 0, spacedUntil: 0, keys: {} };
}

/**
 * Runs steps that arrived together, all at the same time by the database's clock. After a refusal, equal requests of
 * the same key are refused without a check: otherwise, ten calls that wait for one place would make every process check
 * all places ten times.
 */
export function run(window: Window, steps: readonly Step[], time: number): Ran[] {
  const now = Math.max(time, window.seen);
  window.seen = now;
  tidy(window, now);
  const refused = new Map<string, Answer>();
  const answers = steps.map((step): Answer | null => {
    if (step.do === "block") block(window, now + step.ms);
    else if (step.do === "settle") {
      settle(window, step.key, step.slot, step.freesInMs === null ? null : now + step.freesInMs - step.agoMs);
    } else {
      const { key, batch, requests, batchRequests } = step;
      const kind = `${batch} ${requests} ${batchRequests} ${key}`;
      const answer = refused.get(kind) ?? reserve(window, step, now);
      if (!answer.granted) refused.set(kind, answer);
      return answer;
    }
    refused.clear();
    return null;
  });
  const { used, at } = usage(window, now);
  return answers.map((answer) => ({ now, answer, used, at }));
}

/** Frees places and ends waits whose time is up. */
export function tidy(window: Window, now: number): void {
  for (const [key, state] of Object.entries(window.keys)) {
    state.places = state.places.filter(([freesAt]) => freesAt > now);
    for (const lane of [0, 1] as const) if ((state.waits[lane]?.[1] ?? 0) <= now) delete state.waits[lane];
    if (state.places.length === 0 && Object.keys(state.waits).length === 0 && state.knownUntil <= now) {
      delete window.keys[key];
    }
  }
}

/** Takes a place, or records that the key waits for one. */
export function reserve(window: Window, ask: Ask, now: number): Answer {
  if (window.blockedUntil > now) return { granted: false, at: window.blockedUntil, blocked: true };
  const me = keyState(window, ask.key);
  return ask.shared ? reserveInTurn(window, me, ask, now) : reserveAlone(window, me, ask, now);
}

/** Sets when a place becomes free after the response; null gives back the place of a request that was not sent. */
export function settle(window: Window, key: string, slot: string, freesAt: number | null): void {
  const places = window.keys[key]?.places ?? [];
  const at = places.findIndex((place) => place[2] === slot);
  const [place] = at < 0 ? [] : places.splice(at, 1);
  // A place granted for a later time must not become free before then.
  const end = freesAt ?? place?.[3];
  if (place && end !== undefined) places.push([end, place[1]]);
}

/** Refuses every request until a time; never shortens a block. */
export function block(window: Window, until: number): void {
  window.blockedUntil = Math.max(window.blockedUntil, until);
}

/**
 * The number of places taken, and when the next one becomes free or the block ends; null if that depends on requests in
 * flight.
 */
export function usage(window: Window, now: number): { readonly used: number; readonly at: number | null } {
  const { taken, answered } = count(window);
  const at = window.blockedUntil > now ? window.blockedUntil : (answered[0]?.[0] ?? null);
  return { used: taken[0] + taken[1], at };
}

/** The time after which the window no longer matters. */
export function endOf({ blockedUntil, keys }: Window): number {
  const ends = Object.values(keys).flatMap(({ knownUntil, places, waits }) => [
    knownUntil,
    ...places.map(([freesAt]) => freesAt),
    ...Object.values(waits).map(([, endsAt]) => endsAt),
  ]);
  return ends.reduce((latest, end) => Math.max(latest, end), blockedUntil);
}

function reserveAlone(window: Window, me: KeyState, ask: Ask, now: number): Answer {
  const counts = count(window);
  if (hasRoom(ask, counts)) return take(me, ask, now);
  const at = roomAt(ask, counts);
  // The reply takes half a round trip to reach the caller, so a place that is free by then can be granted now.
  const soonMs = ask.tripMs ? ask.tripMs / 2 + Math.min(MOST_SOON_MS, ask.windowMs / 100) : 0;
  if (at === null || at > now + soonMs) return { granted: false, at, blocked: false };
  return takeOver(window, me, ask, at);
}

function reserveInTurn(window: Window, me: KeyState, ask: Ask, now: number): Answer {
  const { batch, requests, batchRequests, windowMs, tripMs = 0 } = ask;
  me.knownUntil = now + KEY_WINDOWS * windowMs;
  // Each place becomes free one round trip late, so it stays taken for longer than the window.
  const spacing = (windowMs + tripMs) / (Math.max(1, requests) * SPACED_PART);
  const spacedAt = Math.max(window.spacedUntil, now - windowMs / CATCH_UP);
  const share = requests / Math.max(LEAST_KEYS, Object.keys(window.keys).length);
  const isSpaced = me.places.length >= share;
  const counts = count(window);
  const ahead = waitersBefore(window, me, batch, now);
  // This key must not use the places that the keys ahead of it need.
  const left = {
    batch,
    requests: requests - ahead[0] - ahead[1],
    batchRequests: batchRequests - ahead[1],
  };
  const isFree = hasRoom(left, counts);
  const freesAt = isFree ? now : roomAt(left, counts);
  // A place that becomes free within a round trip is granted now, because trying again would not be faster. Keys above
  // their share must wait, or they would fill the window before other keys make a request.
  const isSoon = !isFree && !isSpaced && freesAt !== null && freesAt <= now + tripMs;
  if (isSoon || (isFree && !(isSpaced && spacedAt > now))) {
    window.spacedUntil = spacedAt + spacing;
    delete me.waits[batch];
    return isSoon ? takeOver(window, me, ask, freesAt) : take(me, ask, now);
  }
  const pollAt = now + Math.ceil(Math.max(5, Math.min(MOST_POLL_MS, windowMs / Math.max(1, requests) / 2)));
  let at = freesAt ?? pollAt;
  // Tries again soon, because the keys ahead of this one might never try again.
  if (hasRoom(ask, counts)) at = Math.min(at, pollAt);
  at = Math.ceil(Math.max(at, isSpaced ? spacedAt + (ahead[0] + ahead[1]) * spacing : at));
  // The turn is kept only briefly after the key may try again, because its process may have ended.
  const endsAt = Math.max(at, now + tripMs) + Math.ceil(Math.max(20, Math.min(1_000, windowMs / 100)));
  me.waits[batch] = [me.waits[batch]?.[0] ?? now, endsAt];
  return { granted: false, at, blocked: false };
}

/**
 * Counts the waiting requests that go first: interactive before batch, then those of keys that hold fewer places, then
 * those that have waited longer.
 */
function waitersBefore(window: Window, me: KeyState, batch: 0 | 1, now: number): [interactive: number, batch: number] {
  const since = me.waits[batch]?.[0] ?? now;
  const ahead: [number, number] = [0, 0];
  for (const state of Object.values(window.keys)) {
    for (const lane of [0, 1] as const) {
      const wait = state.waits[lane];
      if (!wait || lane > batch) continue;
      const held = state.places.length - me.places.length;
      if (lane < batch || held < 0 || (held === 0 && wait[0] < since)) ahead[lane]++;
    }
  }
  return ahead;
}

interface Counts {
  readonly taken: readonly [number, number];
  /** Places whose requests have a response, in the order in which they become free. */
  readonly answered: readonly Place[];
}

function count({ keys }: Window): Counts {
  const places = Object.values(keys).flatMap((state) => state.places);
  const batch = places.filter((place) => place[1] === 1).length;
  const answered = places.filter(([, , slot]) => slot === undefined).sort(([one], [other]) => one - other);
  return { taken: [places.length - batch, batch], answered };
}

type Limits = Pick<Ask, "batch" | "requests" | "batchRequests">;

function hasRoom({ batch, requests, batchRequests }: Limits, { taken }: Pick<Counts, "taken">): boolean {
  return taken[0] + taken[1] < requests && (batch === 0 || taken[1] < batchRequests);
}

/** The time at which fewer places will be taken than the limits allow; null if that depends on requests in flight. */
function roomAt(limits: Limits, { taken, answered }: Counts): number | null {
  const left: [number, number] = [...taken];
  for (const [freesAt, batch] of answered) {
    left[batch]--;
    if (hasRoom(limits, { taken: left })) return freesAt;
  }
  return null;
}

function take(me: KeyState, { leaseMs, batch, slot }: Ask, now: number): Answer {
  me.places.push([now + leaseMs, batch, slot]);
  return { granted: true };
}

/** Reassigns the place that becomes free at the time `at` to this key, so that the number of places stays the same. */
function takeOver(window: Window, me: KeyState, { leaseMs, batch, slot }: Ask, at: number): Answer {
  const isIt = ([freesAt, , slot]: Place) => slot === undefined && freesAt === at;
  const owner = Object.values(window.keys).find(({ places }) => places.some(isIt));
  owner?.places.splice(owner.places.findIndex(isIt), 1);
  me.places.push([at + leaseMs, batch, slot, at]);
  return { granted: true, from: at };
}

function keyState(window: Window, key: string): KeyState {
  window.keys[key] ??= { knownUntil: 0, places: [], waits: {} };
  return window.keys[key];
}
