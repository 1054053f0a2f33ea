import type { ReserveRequest } from "../core/limits/rate-limit-store.js";

// How keys share the window of one application: docs/decisions/turns.md. All times are in milliseconds.

/** Whose place is asked for in which window, with whole milliseconds, as databases count them. */
export interface Asked {
  /** The window: the key's own, or the one of the application. */
  readonly window: string;
  /** Which key asks; the same for all requests of a window that no keys share. */
  readonly key: string;
  /** True when several keys share the window, so that they take turns. */
  readonly shared: boolean;
  readonly batch: boolean;
  readonly requests: number;
  readonly batchRequests: number;
  readonly windowMs: number;
  readonly leaseMs: number;
}

/** The window that counts the requests of a key. */
export function windowOf(key: string, application: string | null): string {
  return application === null ? `key ${key}` : `application ${application}`;
}

/** A request as databases take it. */
export function asked(request: ReserveRequest, application: string | null): Asked {
  const { key, requests, batchRequests, priority, windowMs, leaseMs } = request;
  return {
    window: windowOf(key, application),
    key: application === null ? "" : key,
    shared: application !== null,
    batch: priority === "batch",
    requests,
    batchRequests,
    windowMs: Math.ceil(windowMs),
    leaseMs: Math.ceil(leaseMs),
  };
}

/** A key counts as using the application for so many windows after it last asked. */
export const KEY_WINDOWS = 10;

/** How many keys an application has at least, so that the first one does not take the whole window at once. */
export const LEAST_KEYS = 10;

/** Part of the limit that keys above their share use; the rest is for calls that come in clusters. */
export const SPACED_PART = 0.98;

/** Part of a window that a key above its share may catch up when places were free and nobody asked. */
export const CATCH_UP = 20;

/** How long a key whose turn it is not waits before it asks again, at most. */
export const MOST_POLL_MS = 250;

/** Time between two places when a window gives them out evenly. */
export function spacingMs(windowMs: number, requests: number): number {
  return windowMs / (Math.max(1, requests) * SPACED_PART);
}

/** How soon a key asks again when a place is free and other keys go first: half the time between two places. */
export function pollMs(windowMs: number, requests: number): number {
  return Math.ceil(Math.max(5, Math.min(MOST_POLL_MS, windowMs / requests / 2)));
}

/** How long the turn of a key is kept for it after the time it was told: its process may have ended. */
export function graceMs(windowMs: number): number {
  return Math.ceil(Math.max(20, Math.min(1_000, windowMs / 100)));
}
