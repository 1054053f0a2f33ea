import { expect } from "vitest";
import { AdminClient, ApiError, MainClient } from "../../src/index.js";
import { createSandbox, type Sandbox, type WebhookSubscription } from "../../src/sandbox/index.js";
import type { WebhookEvent } from "../../src/webhooks/index.js";

/** A small sandbox at a fixed time. */
export const small = (): Sandbox => createSandbox({ size: 40, now: "2030-06-01T12:00:00.000Z" });

/** A client of a sandbox's Main API that accepts no drift. */
export const main = (sandbox: Sandbox): MainClient => new MainClient({ ...sandbox.main, validation: "strict" });

/** A client of a sandbox's Admin API that accepts no drift. */
export const admin = (sandbox: Sandbox): AdminClient => new AdminClient({ ...sandbox.admin, validation: "strict" });

/** The error with which the service refuses a call. */
export async function failure(call: PromiseLike<unknown>): Promise<ApiError> {
  const error = await Promise.resolve(call).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

/** Sends a request that the client never sends, like a program without it. */
export async function ask(
  sandbox: Pick<Sandbox, "baseUrl" | "apiKey" | "fetch">,
  path: string,
  init: RequestInit & { apiKey?: string | null } = {},
): Promise<{ status: number; headers: Headers; body: unknown }> {
  const { apiKey = sandbox.apiKey, ...rest } = init;
  const headers = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
  const url = path.startsWith("http") ? path : `${sandbox.baseUrl}/${path}`;
  const response = await sandbox.fetch(url, { headers, ...rest });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
}

/** The URLs of a `Link` header by relation. */
export function linksOf(headers: Headers): Record<string, string> {
  const links = (headers.get("link") ?? "").matchAll(/<([^>]*)>; rel="(\w+)"/g);
  return Object.fromEntries([...links].map(([, target, relation]) => [relation, target]));
}

/** The identifiers of records, in order. */
export const ids = (records: unknown): number[] => (records as { id: number }[]).map(({ id }) => id);

/** Collects the events that a sandbox sends from now on, as `account.created 7`. */
export function eventsOf(sandbox: Sandbox, events: WebhookSubscription["events"]): string[] {
  const received: string[] = [];
  sandbox.webhooks.subscribe({
    events,
    to: async (request) => {
      const { event, event_data } = (await request.json()) as WebhookEvent;
      received.push(`${event} ${event_data.id}`);
      return new Response(null, { status: 204 });
    },
  });
  return received;
}
