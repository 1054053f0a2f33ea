import { ConfigurationError } from "../core/errors.js";
import { acceptAny, type OptionTable, optionsOf } from "../core/option-checks.js";
import { readSecret } from "../core/secret.js";
import { STORE_OPTIONS, type WebhookInboxOptions } from "./options.js";
import type { TokenEntry, TokenFacts, TokenStore } from "./token-store.js";

/** A key of 32 bytes, raw or in base64, such as the output of `openssl rand -base64 32`. */
export type EncryptionKey = string | Uint8Array;

/** Options for `sqliteTokens`, `postgresTokens` and `redisTokens`. */
export interface TokenStoreOptions extends Pick<WebhookInboxOptions, "prefix"> {
  /**
   * The key for AES-256-GCM. With several keys, the first one encrypts and all of them can decrypt. To replace a key,
   * put the new one first, and remove the old one after every school's token has been refreshed. If a key is lost, its
   * schools must be connected again.
   */
  readonly encryptionKey: EncryptionKey | readonly EncryptionKey[];
}

const OPTIONS = { ...STORE_OPTIONS, encryptionKey: [acceptAny] } satisfies OptionTable<TokenStoreOptions>;

/** The entries in the database, with their secrets encrypted. */
export interface SealedEntries {
  get(key: string): Promise<TokenEntry | null>;
  put(entry: TokenEntry, replaces: string | null): Promise<boolean>;
  delete(key: string, version: string): Promise<boolean>;
  list(prefix: string): Promise<readonly TokenFacts[]>;
}

/** Checks the options of a token store. @throws ConfigurationError, whose message never contains a key. */
export function tokenSettings(
  what: string,
  options: TokenStoreOptions,
): { prefix: string; keys: readonly Uint8Array[] } {
  const { prefix, encryptionKey } = optionsOf(what, options, OPTIONS);
  const given = Array.isArray(encryptionKey) ? (encryptionKey as readonly unknown[]) : [encryptionKey];
  const keys = given.map(bytesOf);
  if (keys.length > 0 && keys.every((key) => key !== null)) return { prefix, keys };
  const problem = given.includes("") ? "is empty (is its variable set?); it must be" : "must be";
  throw new ConfigurationError(`${what}: encryptionKey ${problem} 32 bytes or their base64 (openssl rand -base64 32)`);
}

export function encryptSecrets(what: string, entries: SealedEntries, keys: readonly Uint8Array[]): TokenStore {
  let made: Promise<readonly Seal[]> | undefined;
  // Imports the keys on first use, because Cloudflare Workers forbid such work while modules load.
  const seals = () => {
    made ??= Promise.all(keys.map(sealOf));
    return made;
  };
  return {
    get: async (key) => {
      const entry = await entries.get(key);
      return entry && { ...entry, secret: await decryptSecret(what, entry, await seals()) };
    },
    put: async (entry, replaces) => {
      const [seal] = await seals();
      return entries.put({ ...entry, secret: await encryptSecret(entry, seal as Seal) }, replaces);
    },
    delete: (key, version) => entries.delete(key, version),
    list: (prefix) => entries.list(prefix),
  };
}

interface Seal {
  /** Identifies the key that encrypted a secret. */
  readonly id: string;
  readonly key: CryptoKey;
}

const IV_BYTES = 12;
const FORM = "1";

async function sealOf(bytes: Uint8Array): Promise<Seal> {
  const { subtle } = globalThis.crypto;
  const digest = new Uint8Array(await subtle.digest("SHA-256", bytes as BufferSource));
  const key = await subtle.importKey("raw", bytes as BufferSource, "AES-GCM", false, ["encrypt", "decrypt"]);
  return { id: base64(digest.slice(0, 6)), key };
}

async function encryptSecret(entry: TokenEntry, { id, key }: Seal): Promise<string> {
  const iv = globalThis.crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const text = new TextEncoder().encode(entry.secret);
  const sealed = await globalThis.crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: boundTo(entry) },
    key,
    text,
  );
  return [FORM, id, base64(iv), base64(new Uint8Array(sealed))].join(".");
}

async function decryptSecret(what: string, entry: TokenEntry, seals: readonly Seal[]): Promise<string> {
  const [form, id, iv = "", text = ""] = entry.secret.split(".");
  const seal = seals.find((one) => one.id === id);
  if (form !== FORM || !seal) {
    throw new ConfigurationError(`${what}: "${entry.key}" was encrypted with a key that encryptionKey does not have`);
  }
  const algorithm = { name: "AES-GCM", iv: bytesIn(iv), additionalData: boundTo(entry) };
  try {
    return new TextDecoder().decode(await globalThis.crypto.subtle.decrypt(algorithm, seal.key, bytesIn(text)));
  } catch {
    throw new ConfigurationError(`${what}: "${entry.key}" was changed by something other than this library`);
  }
}

// Binds the ciphertext to its entry: even with write access to the database, no one can move tokens to another school.
function boundTo({ key, version, facts }: TokenEntry): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify([key, version, facts]));
}

function bytesOf(key: unknown): Uint8Array | null {
  if (key instanceof Uint8Array) return key.length === 32 ? key.slice() : null;
  const text = readSecret(key) ?? "";
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? bytesIn(text.replace(/=$/, "")) : null;
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");
}

function bytesIn(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}
