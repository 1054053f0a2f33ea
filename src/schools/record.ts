import type { TokenEntry, TokenFacts } from "../stores/token-store.js";
import { isAhead, pauseAfter } from "../work/schedule.js";
import type { Grant } from "./protocol.js";

export const SCHOOL = "school ";

/** The stored state of a connected school, without its tokens. Times are milliseconds since the epoch. */
export interface SchoolFacts {
  readonly state: "connected" | "reconnect_needed";
  readonly connectedAt: number;
  readonly refreshedAt: number | null;
  /** When the access token expires; null if the school did not report it. */
  readonly expiresAt: number | null;
  /** When to refresh the access token; null to refresh only after a refusal. */
  readonly refreshAt: number | null;
  /** Identifies the tokens; changes with every grant. */
  readonly generation: string;
  /** True if a process is about to send the refresh token, or has sent it and not yet stored the response. */
  readonly refreshing: boolean;
  /** Number of refreshes in a row without a usable response; `retryAt` is when the next refresh may be sent. */
  readonly failures: number;
  readonly retryAt: number | null;
  /** Why the last of these refreshes failed; absent if `failures` is 0. */
  readonly why?: string | undefined;
}

/** A school as listed, without its tokens. */
export interface SchoolStatus {
  /** The address of the school. */
  readonly school: string;
  /** `connected`, or `reconnect_needed` after its tokens stopped working. */
  readonly state: "connected" | "reconnect_needed";
  readonly connectedAt: Date;
  /** Null before the first refresh. */
  readonly refreshedAt: Date | null;
}

export function statusOf({ key, facts }: TokenFacts): SchoolStatus {
  const { state, connectedAt, refreshedAt } = JSON.parse(facts) as SchoolFacts;
  return {
    school: key.slice(SCHOOL.length),
    state,
    connectedAt: new Date(connectedAt),
    refreshedAt: refreshedAt === null ? null : new Date(refreshedAt),
  };
}

export interface SchoolTokens {
  readonly accessToken: string;
  /** Null if the school issued none; the school must then connect again when the access token expires. */
  readonly refreshToken: string | null;
}

export interface SchoolRecord extends SchoolFacts, SchoolTokens {
  readonly version: string;
}

export function recordOf({ version, facts, secret }: TokenEntry): SchoolRecord {
  return { ...(JSON.parse(facts) as SchoolFacts), ...(JSON.parse(secret) as SchoolTokens), version };
}

export function entryOf(school: string, { version: _, accessToken, refreshToken, ...facts }: SchoolRecord): TokenEntry {
  const secret: SchoolTokens = { accessToken, refreshToken };
  return {
    key: SCHOOL + school,
    version: crypto.randomUUID(),
    facts: JSON.stringify(facts),
    secret: JSON.stringify(secret),
  };
}

// The token is refreshed this long before it expires, or a fifth of its lifetime before if that is shorter.
const MOST_AHEAD_MS = 300_000;

const PAUSES = { firstMs: 1_000, mostMs: 300_000, factor: 3 };

/**
 * The record with the tokens from a grant. @param askedAt when the tokens were requested; their lifetime starts then.
 */
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
    // RFC 6749, 6: if the response contains no new refresh token, the old one stays valid.
    refreshToken: refreshToken ?? before?.refreshToken ?? null,
    version: "",
  };
}

/** The record after a refresh without a usable response. @param why the reason, without anything that was sent. */
export function afterFailure(record: SchoolRecord, now: number, why: string): SchoolRecord {
  const failures = record.failures + 1;
  return { ...record, refreshing: false, failures, retryAt: now + pauseAfter(failures, PAUSES), why };
}

export type Step = "use" | "refresh" | "wait" | "not_connected" | "reconnect_needed" | "unreachable";

interface Circumstances {
  readonly now: number;
  readonly refused: string | null;
  readonly isOrphaned: boolean;
  readonly isHeldBack: boolean;
}

/**
 * Decides how a caller gets a token; reads neither a clock nor a store.
 * @param refused a token to which the service responded with 401.
 * @param isOrphaned true if the record has been `refreshing` for longer than any refresh takes.
 * @param isHeldBack true if this process must not refresh tokens now.
 */
export function decide(record: SchoolRecord | null, { now, refused, isOrphaned, isHeldBack }: Circumstances): Step {
  if (!record) return "not_connected";
  if (record.state === "reconnect_needed") return "reconnect_needed";
  const { accessToken, refreshToken, expiresAt, refreshAt, refreshing, retryAt } = record;
  const isUsable = accessToken !== refused && (expiresAt === null || now < expiresAt);
  if (isUsable && (refreshAt === null || now < refreshAt)) return "use";
  if (refreshToken === null) return isUsable ? "use" : "reconnect_needed";
  if (refreshing && !isOrphaned) return isUsable ? "use" : "wait";
  // Ignores a `retryAt` further ahead than any pause: a clock was wrong, or has since been set back.
  const isPaused = retryAt !== null && now < retryAt && !isAhead(retryAt, now, PAUSES.mostMs);
  if (isPaused || isHeldBack) return isUsable ? "use" : "unreachable";
  return "refresh";
}
