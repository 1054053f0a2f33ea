import type { TokenEntry } from "../stores/token-store.js";
import type { SchoolsSettings } from "./settings.js";

/** Begins the keys of logins that wait for their callback. */
const LOGIN = "login ";

/** For so long a login can be completed. */
const LOGIN_MS = 600_000;

// There are 256 entries, chosen by the state, so that nobody who begins logins without end fills the store: 5,120 logins wait at once.
const MOST_IN_AN_ENTRY = 20;

/** A login that was begun. */
export interface OpenLogin {
  readonly school: string;
  readonly verifier: string;
  readonly redirectUri: string;
  /** Whether the caller gave the state and compares it with that of the browser. */
  readonly isCompared: boolean;
}

/** A login as it is kept, by the digest of its state: whoever reads the store cannot complete it. */
type Kept = Readonly<Record<string, Omit<OpenLogin, "verifier"> & { readonly endsAt: number }>>;

/** Keeps a login for ten minutes, or until twenty later ones need its place. @returns false when there is one with this state. */
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
    const others = Object.entries(logins).filter((each) => each[1].endsAt > clock.now());
    const kept = Object.fromEntries([...others.slice(1 - MOST_IN_AN_ENTRY), [digest, { ...login, endsAt }]]);
    if (await tokens.put(write(digest, kept, { ...verifiers, [digest]: verifier }), entry?.version ?? null))
      return true;
  }
}

/** Why a login is not given to a callback. */
export type NoLogin = "not compared" | "elsewhere";

/**
 * Takes a login, so that nobody else can. Null when there is none, its time is over, or somebody else was first.
 * @param back the address of the callback; a login that was to come back elsewhere stays.
 * @param isSame whether the state was compared with that of the browser. A login that needs it stays for that browser otherwise.
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
    const { endsAt, ...login } = found;
    const { origin, pathname } = new URL(login.redirectUri);
    if (origin !== back.origin || pathname !== back.pathname) return "elsewhere";
    if (login.isCompared && !isSame) return "not compared";
    const { [digest]: _, ...others } = logins;
    const isTaken =
      Object.keys(others).length === 0
        ? await tokens.delete(entry.key, entry.version)
        : await tokens.put(write(digest, others, verifiers), entry.version);
    if (isTaken) return endsAt > clock.now() ? { ...login, verifier: verifiers[digest] as string } : null;
  }
}

type Verifiers = Readonly<Record<string, string>>;

function read(entry: TokenEntry | null): { readonly logins: Kept; readonly verifiers: Verifiers } {
  if (!entry) return { logins: {}, verifiers: {} };
  return { logins: JSON.parse(entry.facts) as Kept, verifiers: JSON.parse(entry.secret) as Verifiers };
}

function write(digest: string, logins: Kept, verifiers: Verifiers): TokenEntry {
  const own = Object.fromEntries(Object.keys(logins).map((each) => [each, verifiers[each]]));
  return {
    key: keyOf(digest),
    version: crypto.randomUUID(),
    facts: JSON.stringify(logins),
    secret: JSON.stringify(own),
  };
}

function keyOf(digest: string): string {
  return LOGIN + digest.slice(0, 2);
}

async function digestOf(state: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(state));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
