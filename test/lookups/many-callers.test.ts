import { describe, expect, it } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { amount } from "../support/amount.js";

const CALLERS = amount(100, 1_000);

/** A client of 500 records of each kind; `onRequest` is called before each request is sent. */
function world(onRequest: () => unknown) {
  const sandbox = createSandbox({ size: 500, rateLimit: false });
  const { enrollments } = sandbox.store;
  // One page of enrollments refers to students on all pages.
  for (let id = 1; id <= 200; id++) enrollments.update(id, { student_id: ((id * 541) % 500) + 1 });
  const fetch: typeof globalThis.fetch = (input, init) => {
    onRequest();
    return sandbox.fetch(new Request(input, init));
  };
  return new MainClient({ ...sandbox, fetch, rateLimit: false });
}

/** The work of one caller; resolves with the problem of its response, or null. */
type Ask = (signal: AbortSignal, number: number) => Promise<string | null>;

const asks: Record<string, (client: MainClient) => Ask> = {
  with: (client) => async (signal) => {
    const { records } = await client.enrollments.list({ per_page: 20 }, { signal }).with({ student: true });
    return records.some(({ student, student_id }) => student?.id !== student_id) ? "another student" : null;
  },
  lookup: (client) => {
    const byName = client.accounts.lookup("name");
    return async (signal, number) => {
      const name = `Account ${number}`;
      if (await byName.get(name, { signal })) return "an account before its create";
      await client.accounts.create({ name });
      return (await byName.get(name, { signal })) ? null : "no account after its create";
    };
  },
  getMany: (client) => async (signal, number) => {
    const ids = [number % 400, 450, 499].map((id) => id + 1);
    const found = await client.accounts.getMany(ids, { signal });
    return found.every((account, at) => account?.id === ids[at]) ? null : "another account";
  },
};

describe(`${CALLERS} callers, each with a signal, half of which abort`, () => {
  it.each(Object.entries(asks))("get their own reason or their records: %s", async (_, askOf) => {
    const leaving = new Map<number, () => void>();
    let requests = 0;
    // With each request after the second, the caller that has waited longest leaves, sometimes in the middle of a list.
    const client = world(() => {
      const [next] = leaving;
      if (!next || ++requests < 3) return;
      leaving.delete(next[0]);
      next[1]();
    });
    const ask = askOf(client);
    const outcomes = await Promise.all(
      Array.from({ length: CALLERS }, async (_caller, number) => {
        const controller = new AbortController();
        const reason = new Error(`caller ${number} has left`);
        if (number % 2 === 0) leaving.set(number, () => controller.abort(reason));
        const outcome = await ask(controller.signal, number).then(
          (wrong) => wrong ?? "right",
          (error: unknown) => (error === reason ? "left" : `the reason of another: ${error}`),
        );
        leaving.delete(number);
        return outcome;
      }),
    );
    const counts = Map.groupBy(outcomes, (outcome) => outcome);
    expect([...counts.keys()].sort()).toEqual(["left", "right"]);
    expect(counts.get("right")?.length).toBeGreaterThanOrEqual(CALLERS / 2);
  });

  it("leave a list that others continue to read", async () => {
    let leave: (() => void)[] = [];
    const client = world(() => leave.shift()?.());
    for (const reason of [1, 2, 3].map((caller) => new RangeError(`caller ${caller} has left`))) {
      const controller = new AbortController();
      // This caller needs the second page of users and leaves while that page is being read.
      leave = [() => {}, () => {}, () => controller.abort(reason)];
      const pages = client.enrollments.list({}, { signal: controller.signal }).with({ student: true });
      await expect(pages.first()).rejects.toBe(reason);
    }
    const { records } = await client.enrollments.list().with({ student: true });
    expect(records.filter(({ student, student_id }) => student?.id !== student_id)).toEqual([]);
  });
});
