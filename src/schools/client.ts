import { MainClient } from "../clients/main.js";
import { NoKeyYet } from "../core/credentials.js";
import type { RateLimitStore } from "../core/limits/rate-limit-store.js";
import type { FetchInit, FetchLike } from "../core/options.js";
import { SchoolError } from "./errors.js";
import type { TokenKeeper } from "./keeper.js";
import type { SchoolsSettings } from "./settings.js";

/** Makes the client of a school. @param windows where the requests of all schools are counted; null without a limit. */
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

// A token endpoint that fails is no mistake in the options: the calls are repeated, and then fail as without a connection.
async function tokenOf(keeper: TokenKeeper): Promise<string> {
  try {
    return await keeper.token();
  } catch (error) {
    throw error instanceof SchoolError && error.reason === "unreachable" ? new NoKeyYet(error) : error;
  }
}

/**
 * A `fetch` that sends nothing with a token that is to be replaced: it answers 401 itself, upon which the client asks for another one.
 * That way the client always knows the token it sends, and keeps it out of errors.
 */
function withFreshToken(keeper: TokenKeeper, fetch: FetchLike): FetchLike {
  return async (input, init) => {
    const token = init.headers.authorization?.slice("Bearer ".length) ?? "";
    if ((await freshToken(keeper)) !== token) return new Response(null, { status: 401 });
    const response = await fetch(input, init);
    keeper.answered(token, response.status);
    return response;
  };
}

// Where there is none, the client learns why when it asks for one.
async function freshToken(keeper: TokenKeeper): Promise<string | null> {
  try {
    return await keeper.token();
  } catch {
    return null;
  }
}

/** A school's part of the application's window: tokens change, and their places must not. */
function countedAs(key: string, store: RateLimitStore): RateLimitStore {
  return {
    processes: store.processes,
    reserve: (request) => store.reserve({ ...request, key }),
    settle: (settlement) => store.settle({ ...settlement, key }),
    block: (block) => store.block({ ...block, key }),
    ...(store.usage && { usage: ({ now }) => store.usage?.({ key, now }) ?? { used: 0, resetAt: null } }),
  };
}
