import type { SchoolsSettings } from "./settings.js";

/** Begins the keys of logins that wait for their callback. */
const LOGIN = "login ";

/** For so long a login can be completed. */
const LOGIN_MS = 600_000;

/** A login that was begun. */
export interface OpenLogin {
  readonly school: string;
  readonly verifier: string;
  /** Whether the caller gave the state and compares it with that of the browser. */
  readonly isCompared: boolean;
}

/** Keeps a login for ten minutes. @returns false when there is one with this state. */
export async function openLogin(
  { tokens, clock }: SchoolsSettings,
  state: string,
  { school, verifier, isCompared }: OpenLogin,
): Promise<boolean> {
  const now = clock.now();
  for (const { key, version, facts } of await tokens.list(LOGIN)) {
    if ((JSON.parse(facts) as { endsAt: number }).endsAt <= now) await tokens.delete(key, version);
  }
  const facts = JSON.stringify({ school, isCompared, endsAt: now + LOGIN_MS });
  const entry = { key: await keyOf(state), version: crypto.randomUUID(), facts, secret: JSON.stringify({ verifier }) };
  return tokens.put(entry, null);
}

/**
 * Takes a login, so that nobody else can. Null when there is none, its time is over, or somebody else was first.
 * @param isSame whether the state was compared with that of the browser. A login that needs it stays for that browser otherwise.
 */
export async function takeLogin(
  { tokens, clock }: SchoolsSettings,
  state: string,
  isSame: boolean,
): Promise<OpenLogin | "not compared" | null> {
  const entry = await tokens.get(await keyOf(state));
  if (!entry) return null;
  const { school, isCompared, endsAt } = JSON.parse(entry.facts) as Omit<OpenLogin, "verifier"> & { endsAt: number };
  if (isCompared && !isSame) return "not compared";
  if (!(await tokens.delete(entry.key, entry.version)) || endsAt <= clock.now()) return null;
  return { school, isCompared, verifier: (JSON.parse(entry.secret) as { verifier: string }).verifier };
}

// Whoever reads the store cannot complete a login.
async function keyOf(state: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(state));
  return LOGIN + Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
