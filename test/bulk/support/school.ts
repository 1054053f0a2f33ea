import { rowsOf } from "../../../src/bulk/node.js";
import { MainClient } from "../../../src/index.js";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.js";

/** Rows for users who are not in the school yet. */
export const people = (count: number, from = 1) =>
  Array.from({ length: count }, (_, at) => ({
    email: `new-${from + at}@example.com`,
    first_name: "New",
    last_name: `Person ${from + at}`,
  }));

/** A school whose clock skips waits, and a client of that school. */
export function school(size: number | "small" = "small"): { sandbox: Sandbox; client: MainClient } {
  const sandbox = createSandbox({ size, skipWaits: true });
  return { sandbox, client: new MainClient({ ...connection(sandbox), retry: { limit: 2 } }) };
}

/**
 * A client whose creates are carried out with another address (by default `n-1@` instead of `new-1@`) and get no
 * response.
 */
export function renaming(sandbox: Sandbox, from = "new-", to = "n-"): MainClient {
  const fetch: typeof sandbox.fetch = async (input, init) => {
    const body = String(init?.body);
    if (init?.method !== "POST" || !body.includes(from)) return sandbox.fetch(input, init);
    await sandbox.fetch(input, { ...init, body: body.replace(from, to) });
    throw new TypeError("lost");
  };
  return new MainClient({ ...connection(sandbox), fetch, retry: { limit: 0 } });
}

/** The options with which a client reaches a school. */
export function connection({ baseUrl, apiKey, fetch, clock, rateLimit }: Sandbox) {
  return { baseUrl, apiKey, fetch, clock, rateLimit };
}

/** The outcome of each row of a plan, by the row's number. */
export async function outcomes(path: string): Promise<Record<number, string | null>> {
  const all: Record<number, string | null> = {};
  for await (const { row, outcome } of rowsOf(path)) all[row] = outcome;
  return all;
}

/** The number of users with each e-mail address that begins with `new-`. */
export function copies(sandbox: Sandbox): Record<string, number> {
  const count: Record<string, number> = {};
  for (const { email } of sandbox.store.users) if (email.startsWith("new-")) count[email] = (count[email] ?? 0) + 1;
  return count;
}

/** The result of {@link copies} if each of the first `count` new addresses has exactly one user. */
export const each = (count: number) => Object.fromEntries(people(count).map(({ email }) => [email, 1]));

/** The numbers of the rows whose creates arrived, in order of arrival. */
export const createdNumbers = (sandbox: Sandbox) =>
  sandbox.calls("users.create").map(({ body }) => Number(/new-(\d+)@/.exec(body.email)?.[1]));
