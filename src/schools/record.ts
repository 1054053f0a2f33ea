import type { TokenEntry, TokenFacts } from "../stores/token-store.js";
import type { Grant } from "./protocol.js";

/** Begins the keys of schools. */
export const SCHOOL = "school ";

/** What is known of a connected school, without its tokens. Times are milliseconds since the epoch. */
export interface SchoolFacts {
  readonly state: "connected" | "reconnect_needed";
  readonly connectedAt: number;
  readonly refreshedAt: number | null;
  /** When the access token ends; null if the school does not say. */
  readonly expiresAt: number | null;
  /** When it is to be refreshed; null: only after a 401. */
  readonly refreshAt: number | null;
  /** Names the tokens: another one with every grant. */
  readonly generation: string;
  /** A process is about to send the refresh token, or has sent it: its response is not written yet. */
  readonly refreshing: boolean;
  /** Refreshes in a row that gave no response, and when there may be another one. */
  readonly failures: number;
  readonly retryAt: number | null;
}

/** A school in a list: no token. */
export interface SchoolStatus {
  /** Its address. */
  readonly school: string;
  /** `connected`, or `reconnect_needed` once its tokens no longer work. */
  readonly state: "connected" | "reconnect_needed";
  readonly connectedAt: Date;
  /** Null before the first refresh. */
  readonly refreshedAt: Date | null;
}

/** What an entry says of its school. */
export function statusOf({ key, facts }: TokenFacts): SchoolStatus {
  const { state, connectedAt, refreshedAt } = JSON.parse(facts) as SchoolFacts;
  return {
    school: key.slice(SCHOOL.length),
    state,
    connectedAt: new Date(connectedAt),
    refreshedAt: refreshedAt === null ? null : new Date(refreshedAt),
  };
}

/** The tokens of a school. */
export interface SchoolTokens {
  readonly accessToken: string;
  /** Null if the school gave none: when the access token expires, the school must connect again. */
  readonly refreshToken: string | null;
}

/** A school as it stands in the token store. */
export interface SchoolRecord extends SchoolFacts, SchoolTokens {
  readonly version: string;
}

/** Reads an entry. */
export function recordOf({ version, facts, secret }: TokenEntry): SchoolRecord {
  return { ...(JSON.parse(facts) as SchoolFacts), ...(JSON.parse(secret) as SchoolTokens), version };
}

/** Writes an entry of a new version. */
export function entryOf(school: string, { version: _, accessToken, refreshToken, ...facts }: SchoolRecord): TokenEntry {
  const secret: SchoolTokens = { accessToken, refreshToken };
  return {
    key: SCHOOL + school,
    version: crypto.randomUUID(),
    facts: JSON.stringify(facts),
    secret: JSON.stringify(secret),
  };
}

// A refresh comes so long before the end of the token, or a fifth of its life if that is less.
const MOST_AHEAD_MS = 300_000;

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 300_000;

/** The record with the tokens of a grant. @param askedAt when they were asked for: their life counts from then. */
export function withTokens(
  before: Pick<SchoolRecord, "connectedAt" | "refreshToken"> | null,
  { accessToken, refreshToken, expiresInMs }: Grant & { kind: "tokens" },
  askedAt: number,
): SchoolRecord {
  const expiresAt = expiresInMs === null ? null : askedAt + expiresInMs;
  return {
    state: "connected",
    connectedAt: before?.connectedAt ?? askedAt,
    refreshedAt: before ? askedAt : null,
    expiresAt,
    refreshAt: expiresInMs === null ? null : askedAt + expiresInMs - Math.min(MOST_AHEAD_MS, expiresInMs / 5),
    generation: crypto.randomUUID(),
    refreshing: false,
    failures: 0,
    retryAt: null,
    accessToken,
    // RFC 6749, 6: without a new one the old one stays.
    refreshToken: refreshToken ?? before?.refreshToken ?? null,
    version: "",
  };
}

/** The record after a refresh that gave no response. */
export function afterFailure(record: SchoolRecord, now: number): SchoolRecord {
  const pause = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 3 ** record.failures);
  return { ...record, refreshing: false, failures: record.failures + 1, retryAt: now + pause };
}

/** What to do for a token. */
export type Step = "use" | "refresh" | "wait" | "not_connected" | "reconnect_needed" | "unreachable";

/**
 * Decides how a caller gets a token. Pure: no clock and no store.
 * @param refused a token that the school answered with 401.
 * @param isOrphaned the record has said `refreshing` for longer than any refresh takes.
 */
export function decide(
  record: SchoolRecord | null,
  { now, refused, isOrphaned }: { readonly now: number; readonly refused: string | null; readonly isOrphaned: boolean },
): Step {
  if (!record) return "not_connected";
  if (record.state === "reconnect_needed") return "reconnect_needed";
  const { accessToken, refreshToken, expiresAt, refreshAt, refreshing, retryAt } = record;
  const isUsable = accessToken !== refused && (expiresAt === null || now < expiresAt);
  if (isUsable && (refreshAt === null || now < refreshAt)) return "use";
  if (refreshToken === null) return isUsable ? "use" : "reconnect_needed";
  if (refreshing && !isOrphaned) return isUsable ? "use" : "wait";
  // Further ahead than any pause: the clock that it was written by has been set back, or was wrong.
  const isPaused = retryAt !== null && now < retryAt && retryAt - now <= LONGEST_BACKOFF_MS;
  if (isPaused) return isUsable ? "use" : "unreachable";
  return "refresh";
}
