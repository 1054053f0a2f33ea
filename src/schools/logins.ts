import type { TokenEntry } from "../stores/token-store.js";
import { isAhead } from "../work/schedule.js";
import type { SchoolsSettings } from "./settings.js";

const LOGIN = "login ";

const LOGIN_MS = 600_000;

// Spreads logins over 256 entries by a digest of their state: at most 5,120 logins can wait, so that strangers cannot
// fill the store.
const MOST_IN_AN_ENTRY = 20;

export interface OpenLogin {
  readonly school: string;
  readonly verifier: string;
  readonly redirectUri: string;
  /** True if `authorizeUrl` was given the state; `connect` must then be given it, too. */
  readonly isCompared: boolean;
}

/** Logins as they are stored, keyed by a digest of their state: someone who reads the store cannot complete them. */
type Kept = Readonly<Record<string, Omit<OpenLogin, "verifier"> & { readonly endsAt: number }>>;

/**
 * Keeps a login for ten minutes, or until twenty later logins displace it. @returns false if the state is already in
 * use.
 */
export async function openLogin(
  { tokens, clock }: SchoolsSettings,
  state: string,
  { verifier, ...login }: OpenLogin,
): Promise<boolean> {
  const digest = await digestOf(state);
  const endsAt = clock.now() + LOGIN_MS;
  for (;;) {
    const entry = await tokens.get(keyOf(digest));
    const { logins, verifiers } = read(entry);
    if (Object.hasOwn(logins, digest)) return false;
    const others = Object.entries(logins).filter((each) => isOpen(each[1], clock.now()));
    const kept = Object.fromEntries([...others.slice(1 - MOST_IN_AN_ENTRY), [digest, { ...login, endsAt }]]);
    if (await tokens.put(write(digest, kept, { ...verifiers, [digest]: verifier }), entry?.version ?? null))
      return true;
  }
}

/** Why a login is kept: its state was not compared with the browser's, or the callback came to another address. */
export type NoLogin = "not compared" | "elsewhere";

/**
 * Removes a login and returns it, so that it can be used only once. Null if there is no such login, it has expired, or
 * another callback came first.
 * @param back the address of the callback. A login with another redirect address is kept.
 * @param isSame true if the state equals the browser's; if false, a login with `isCompared` is kept.
 */
export async function takeLogin(
  { tokens, clock }: SchoolsSettings,
  state: string,
  back: URL,
  isSame: boolean,
): Promise<OpenLogin | NoLogin | null> {
  const digest = await digestOf(state);
  for (;;) {
    const entry = await tokens.get(keyOf(digest));
    const { logins, verifiers } = read(entry);
    const found = Object.hasOwn(logins, digest) ? logins[digest] : undefined;
    if (!entry || !found) return null;
    const { endsAt: _end, ...login } = found;
    const { origin, pathname } = new URL(login.redirectUri);
    if (origin !== back.origin || pathname !== back.pathname) return "elsewhere";
    if (login.isCompared && !isSame) return "not compared";
    const { [digest]: _, ...others } = logins;
    const isTaken =
      Object.keys(others).length === 0
        ? await tokens.delete(entry.key, entry.version)
        : await tokens.put(write(digest, others, verifiers), entry.version);
    if (isTaken) return isOpen(found, clock.now()) ? { ...login, verifier: verifiers[digest] as string } : null;
  }
}

// If a login's end is further ahead than a login lasts, a wrong clock has set it, so the login is not open.
function isOpen({ endsAt }: { readonly endsAt: number }, now: number): boolean {
  return endsAt > now && !isAhead(endsAt, now, LOGIN_MS);
}

type Verifiers = Readonly<Record<string, string>>;

function read(entry: TokenEntry | null): { readonly logins: Kept; readonly verifiers: Verifiers } {
  if (!entry) return { logins: {}, verifiers: {} };
  return { logins: JSON.parse(entry.facts) as Kept, verifiers: JSON.parse(entry.secret) as Verifiers };
}

function write(digest: string, logins: Kept, verifiers: Verifiers): TokenEntry {
  const keptVerifiers = Object.fromEntries(Object.keys(logins).map((each) => [each, verifiers[each]]));
  return {
    key: keyOf(digest),
    version: crypto.randomUUID(),
    facts: JSON.stringify(logins),
    secret: JSON.stringify(keptVerifiers),
  };
}

function keyOf(digest: string): string {
  return LOGIN + digest.slice(0, 2);
}

async function digestOf(state: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(state));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
