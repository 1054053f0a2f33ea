import { type ErrorCode, MainClient } from "education-admin-sdk";

/** The token of every client of the campaign. */
export const TOKEN = "token-of-the-hostile-server-campaign";
/** How long an attempt of these clients may take. */
export const TIMEOUT_MS = 500;
/** How long the long texts are. */
export const MILLION = 1_000_000;

/** One way to be hostile, and how a call must end then. */
export interface Case {
  readonly name: string;
  readonly end: "data" | ErrorCode;
  /** Most it may take; what no limit is given for is small and fast. */
  readonly ms?: number;
  readonly mb?: number;
  act(): PromiseLike<unknown>;
  /** Says what is wrong with the data or the error. */
  inspect?(found: unknown): string | null;
}

/** A client that sends each call once. */
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
