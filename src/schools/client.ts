import { MainClient } from "../clients/main.js";
import { NoKeyYet } from "../core/credentials.js";
import type { RateLimitStore } from "../core/limits/rate-limit-store.js";
import type { FetchInit, FetchLike } from "../core/options.js";
import { SchoolError } from "./errors.js";
import type { TokenKeeper } from "./keeper.js";
import type { SchoolsSettings } from "./settings.js";

/** @param windows counts the requests of all schools; null for no limit. */
export function schoolClient(
  keeper: TokenKeeper,
  settings: SchoolsSettings,
  windows: RateLimitStore | null,
): MainClient {
  const { client, clock, rateLimit, allowInsecureHttp } = settings;
  const { fetch = (input: string, init: FetchInit) => globalThis.fetch(input, init) } = settings;
  const store = windows && countedAs(`school ${keeper.school}`, windows);
  return new MainClient({
    ...client,
    baseUrl: keeper.school,
    apiKey: () => tokenOf(keeper),
    rateLimit: rateLimit !== false && store ? { ...rateLimit, store } : false,
    fetch: withFreshToken(keeper, fetch),
    allowInsecureHttp,
    clock,
  });
}

// Reports a failing token endpoint as a connection problem, not as a wrong option, so that the client retries the call.
async function tokenOf(keeper: TokenKeeper): Promise<string> {
  try {
    return await keeper.token();
  } catch (error) {
    throw error instanceof SchoolError && error.reason === "unreachable" ? new NoKeyYet(error) : error;
  }
}

/**
 * A `fetch` that returns a 401 instead of sending a stale token, so that the client requests the current one. The
 * client thus always knows the token that is sent and can keep it out of errors.
 */
function withFreshToken(keeper: TokenKeeper, fetch: FetchLike): FetchLike {
  return async (input, init) => {
    const token = init.headers.authorization?.slice("Bearer ".length) ?? "";
    if ((await freshToken(keeper)) !== token) return new Response(null, { status: 401 });
    const response = await fetch(input, init);
    keeper.noteResponse(token, response.status);
    return response;
  };
}

// Null if there is no token; the client gets the reason when it requests a token.
async function freshToken(keeper: TokenKeeper): Promise<string | null> {
  try {
    return await keeper.token();
  } catch {
    return null;
  }
}

/** Counts all requests of a school under one key, so that those with its earlier tokens still count. */
function countedAs(key: string, store: RateLimitStore): RateLimitStore {
  return {
    processes: store.processes,
    reserve: (request) => store.reserve({ ...request, key }),
    settle: (settlement) => store.settle({ ...settlement, key }),
    block: (block) => store.block({ ...block, key }),
    ...(store.usage && { usage: ({ now }) => store.usage?.({ key, now }) ?? { used: 0, resetAt: null } }),
  };
}
