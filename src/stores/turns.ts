// What one window of a rate limit knows, and who gets its next place: docs/decisions/turns.md. All times are milliseconds of
// the window's own time. Every process replays the same steps, so a result may depend on nothing but the window and the steps.

/** The number of these rules. Another one for every change of what they decide: processes with other rules count apart. */
export const RULES = 2;

/**
 * A place: when it is free, whether a batch request holds it, and while the request is in flight the name of its slot and, if
 * the place was taken ahead, the time from which it may be used.
 */
export type Place = [freesAt: number, batch: 0 | 1, slot?: string, from?: number];

/** What a window knows of a key. */
export interface KeyState {
  /** Until when it counts as using the application, which makes the share of the others smaller. */
  knownUntil: number;
  places: Place[];
  /** A waiting interactive and a waiting batch request: since when, and until when their turn is kept. */
  waits: Partial<Record<0 | 1, [since: number, endsAt: number]>>;
}

/** A window of one key, or of all keys of an application. */
export interface Window {
  /** The latest time at which a process asked. */
  seen: number;
  blockedUntil: number;
  /** When a key above its share may have the next place. */
  spacedUntil: number;
  keys: Record<string, KeyState>;
}

/** A request for a place, with whole milliseconds. */
export interface Ask {
  readonly key: string;
  /** True when several keys share the window, so that they take turns. */
  readonly shared: boolean;
  readonly batch: 0 | 1;
  readonly requests: number;
  readonly batchRequests: number;
  readonly windowMs: number;
  readonly leaseMs: number;
  /** The name of the place; unique among the requests in flight. */
  readonly slot: string;
  /** How long the process waits for a reply of the database; none where it has the database's file. */
  readonly tripMs?: number;
}

/** What a process does in a window. */
export type Step =
  | ({ readonly do: "reserve" } & Ask)
  | {
      readonly do: "settle";
      readonly key: string;
      readonly slot: string;
      /** Milliseconds from the response until the place is free; null when the request was not sent. */
      readonly freesInMs: number | null;
      /** For how long the step waited in its process. */
      readonly agoMs: number;
    }
  | { readonly do: "block"; readonly ms: number };

/** What came of a step. */
export interface Ran {
  /** The window's time at which it was done. */
  readonly now: number;
  /** Null for steps that take no place. */
  readonly answer: Answer | null;
  /** Places taken afterwards. */
  readonly used: number;
  /** When the next one is free or the block ends; null when that depends on requests in flight. */
  readonly at: number | null;
}

/** The place taken, and from when it may be used if not now; or when to ask again: null when that depends on requests in flight. */
export type Answer =
  | { readonly granted: true; readonly from?: number }
  | { readonly granted: false; readonly at: number | null; readonly blocked: boolean };

/** A key counts as using the application for so many windows after it last asked. */
const KEY_WINDOWS = 10;

/** How many keys an application has at least, so that the first one does not take the whole window immediately. */
const LEAST_KEYS = 10;

/** Part of the limit that keys above their share use; the rest is for calls that come in clusters. */
const SPACED_PART = 0.98;

/** Part of a window that a key above its share may catch up when places were free and nobody asked. */
const CATCH_UP = 20;

/** Places that are free within so many milliseconds are given together, or a hundredth of a window if that is less. */
const MOST_SOON_MS = 100;

/** How long a key whose turn it is not waits before it asks again, at most. */
const MOST_POLL_MS = 250;

/** A window that nobody has used. */
export function newWindow(): Window {
  return { seen: 0, blockedUntil: 0, spacedUntil: 0, keys: {} };
}

/**
 * Does steps that arrived together, at a time of the database. A key that is refused once is refused for the
 * rest of them without another look: ten calls that wait for one place would otherwise cost ten looks at all places in every
 * process.
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

/** Frees the places and ends the waits whose time has come. */
export function tidy(window: Window, now: number): void {
  for (const [key, state] of Object.entries(window.keys)) {
    state.places = state.places.filter(([freesAt]) => freesAt > now);
    for (const lane of [0, 1] as const) if ((state.waits[lane]?.[1] ?? 0) <= now) delete state.waits[lane];
    if (state.places.length === 0 && Object.keys(state.waits).length === 0 && state.knownUntil <= now) {
      delete window.keys[key];
    }
  }
}

/** Takes a place, or notes that the key waits for one. */
export function reserve(window: Window, ask: Ask, now: number): Answer {
  if (window.blockedUntil > now) return { granted: false, at: window.blockedUntil, blocked: true };
  const me = keyState(window, ask.key);
  return ask.shared ? inTurn(window, me, ask, now) : alone(window, me, ask, now);
}

/** Notes that a request was answered, so that its place is free at a time, or gives the place back. */
export function settle(window: Window, key: string, slot: string, freesAt: number | null): void {
  const places = window.keys[key]?.places ?? [];
  const at = places.findIndex((place) => place[2] === slot);
  const [place] = at < 0 ? [] : places.splice(at, 1);
  // A place that was taken ahead is not free before its time.
  const end = freesAt ?? place?.[3];
  if (place && end !== undefined) places.push([end, place[1]]);
}

/** Refuses every request until a time; an earlier block changes nothing. */
export function block(window: Window, until: number): void {
  window.blockedUntil = Math.max(window.blockedUntil, until);
}

/** How many places are taken, and when the next one is free or the block ends: null when that depends on requests in flight. */
export function usage(window: Window, now: number): { readonly used: number; readonly at: number | null } {
  const { taken, answered } = count(window);
  const at = window.blockedUntil > now ? window.blockedUntil : (answered[0]?.[0] ?? null);
  return { used: taken[0] + taken[1], at };
}

/** When nothing of the window matters any more. */
export function endOf({ blockedUntil, keys }: Window): number {
  const ends = Object.values(keys).flatMap(({ knownUntil, places, waits }) => [
    knownUntil,
    ...places.map(([freesAt]) => freesAt),
    ...Object.values(waits).map(([, endsAt]) => endsAt),
  ]);
  return ends.reduce((latest, end) => Math.max(latest, end), blockedUntil);
}

function alone(window: Window, me: KeyState, ask: Ask, now: number): Answer {
  const counts = count(window);
  if (hasRoom(ask, counts)) return take(me, ask, now);
  const at = roomAt(ask, counts);
  // The answer takes half a round trip to arrive.
  const soonMs = ask.tripMs ? ask.tripMs / 2 + Math.min(MOST_SOON_MS, ask.windowMs / 100) : 0;
  if (at === null || at > now + soonMs) return { granted: false, at, blocked: false };
  return takeOver(window, me, ask, at);
}

function inTurn(window: Window, me: KeyState, ask: Ask, now: number): Answer {
  const { batch, requests, batchRequests, windowMs, tripMs = 0 } = ask;
  me.knownUntil = now + KEY_WINDOWS * windowMs;
  // A place comes back a round trip late.
  const spacing = (windowMs + tripMs) / (Math.max(1, requests) * SPACED_PART);
  const spacedAt = Math.max(window.spacedUntil, now - windowMs / CATCH_UP);
  const share = requests / Math.max(LEAST_KEYS, Object.keys(window.keys).length);
  const isSpaced = me.places.length >= share;
  const counts = count(window);
  const ahead = waitersBefore(window, me, batch, now);
  // What the keys before this one need is not free for it.
  const left = {
    batch,
    requests: requests - ahead[0] - ahead[1],
    batchRequests: batchRequests - ahead[1],
  };
  const isFree = hasRoom(left, counts);
  const freesAt = isFree ? now : roomAt(left, counts);
  // A key that asked again would get it no sooner. Keys above their share would fill the window before the others come.
  const isSoon = !isFree && !isSpaced && freesAt !== null && freesAt <= now + tripMs;
  if (isSoon || (isFree && !(isSpaced && spacedAt > now))) {
    window.spacedUntil = spacedAt + spacing;
    delete me.waits[batch];
    return isSoon ? takeOver(window, me, ask, freesAt) : take(me, ask, now);
  }
  const pollAt = now + Math.ceil(Math.max(5, Math.min(MOST_POLL_MS, windowMs / Math.max(1, requests) / 2)));
  let at = freesAt ?? pollAt;
  // The keys before this one may not come.
  if (hasRoom(ask, counts)) at = Math.min(at, pollAt);
  at = Math.ceil(Math.max(at, isSpaced ? spacedAt + (ahead[0] + ahead[1]) * spacing : at));
  // The turn is kept for a moment after the time at which the key can ask: its process may have ended.
  const endsAt = Math.max(at, now + tripMs) + Math.ceil(Math.max(20, Math.min(1_000, windowMs / 100)));
  me.waits[batch] = [me.waits[batch]?.[0] ?? now, endsAt];
  return { granted: false, at, blocked: false };
}

/** How many requests go before one: interactive before batch, then who has fewer places, then who waits longer. */
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
  /** Places taken by interactive and by batch requests. */
  readonly taken: readonly [number, number];
  /** Places whose requests were answered, the first to become free first. */
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

/** When the places are fewer than the limits allow; null when that depends on requests in flight. */
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

/** Takes the place that is free at a time instead of the key that has it, so that no more are taken than before. */
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
