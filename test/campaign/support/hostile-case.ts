import { type ErrorCode, MainClient } from "education-admin-sdk";

/** The token that every client of the campaign uses. */
export const TOKEN = "token-of-the-hostile-server-campaign";
/** The time limit of each attempt of these clients, in milliseconds. */
export const TIMEOUT_MS = 500;
/** The length of the long texts, in characters. */
export const MILLION = 1_000_000;

/** One hostile behavior, and the way in which a call must end. */
export interface Case {
  readonly name: string;
  readonly end: "data" | ErrorCode;
  /**
   * The most processor time that the call may take, in milliseconds (default 1,000); `mb` limits its memory, in
   * megabytes (default 80).
   */
  readonly ms?: number;
  readonly mb?: number;
  act(): PromiseLike<unknown>;
  /** Describes what is wrong with the data or the error; null if nothing is. */
  inspect?(found: unknown): string | null;
}

/** A client without retries. */
export function clientOf(baseUrl: string, fetch?: (input: string, init: RequestInit) => Promise<Response>): MainClient {
  return new MainClient({
    baseUrl,
    apiKey: TOKEN,
    timeout: TIMEOUT_MS,
    retry: false,
    rateLimit: false,
    maxBodyBytes: 2 ** 26,
    on: { drift: () => undefined },
    ...(fetch ? { fetch } : {}),
  });
}
