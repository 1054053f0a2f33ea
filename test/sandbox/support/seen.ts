import type { Sandbox } from "../../../src/sandbox/index.js";
import { ask } from "./ask.js";

export const account = (sandbox: Sandbox) => ask(sandbox, "GET", "accounts/1");
export const createAccount = async (sandbox: Sandbox, name: string, more: object = {}) =>
  (await ask(sandbox, "POST", "accounts", { name, ...more })).json;
export const storedName = async (sandbox: Sandbox, name: string) =>
  sandbox.store.accounts.get((await createAccount(sandbox, name)).id)?.name;
export const status = async (...args: Parameters<typeof ask>) => (await ask(...args)).status;
export const ids = ({ json }: { json: { id: number }[] }) => json.map(({ id }) => id);
export const list = async (sandbox: Sandbox, query: string) => ask(sandbox, "GET", `accounts?per_page=3${query}`);
export const user = (email: string) => ({ first_name: "A", last_name: "B", email });

export async function deliver(sandbox: Sandbox) {
  const bodies: { event?: string; notification?: object; event_data?: { id: number } }[] = [];
  sandbox.webhooks.subscribe({
    to: async (request) => {
      bodies.push(await request.json());
      return new Response(null, { status: 204 });
    },
  });
  for (const name of ["A", "B"]) await createAccount(sandbox, name);
  await sandbox.webhooks.settled();
  return bodies;
}

export async function tokens(sandbox: Sandbox, form: Record<string, string>) {
  const { clientId, clientSecret, redirectUri } = sandbox.oauth;
  const query = new URLSearchParams({ response_type: "code", client_id: clientId, redirect_uri: redirectUri });
  const back = new URL((await ask(sandbox, "GET", `login/oauth2/auth?${query}`)).headers.get("location") ?? "");
  const code = back.searchParams.get("code") ?? "";
  const fields = { client_id: clientId, client_secret: clientSecret ?? "", redirect_uri: redirectUri, code, ...form };
  const send = async (more: Record<string, string>) => {
    const body = new URLSearchParams({ ...fields, ...more });
    return (await sandbox.fetch(`${sandbox.baseUrl}/login/oauth2/token`, { method: "POST", body })).text();
  };
  return { back, send, first: await send({ grant_type: "authorization_code" }) };
}

export const nextOf = ({ headers }: { headers: Headers }) =>
  /<[^>]*\/api\/v1\/([^>]*)>; rel="next"/.exec(headers.get("link") ?? "")?.[1] ?? "";

// Sends each number of requests, and lets some milliseconds pass after them; what the last request of each got.
export async function waitsOf(sandbox: Sandbox, turns: readonly (readonly [count: number, ms: number])[]) {
  const seen: (string | null)[] = [];
  for (const [count, ms] of turns) {
    let last: string | null = null;
    for (let at = 0; at < count; at++) last = (await account(sandbox)).headers.get("retry-after");
    seen.push(last);
    await sandbox.clock.advance(ms);
  }
  return seen;
}

export interface Case<Value extends string> {
  readonly see: (sandbox: Sandbox) => unknown;
  readonly shows: Readonly<Record<Value, unknown>>;
}
