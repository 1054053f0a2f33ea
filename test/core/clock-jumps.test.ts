import { createRequire } from "node:module";
import { build } from "esbuild";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { internalImports } from "../../scripts/lib/internal-imports.js";
import { apply, plan } from "../../src/bulk/node.js";
import type { Clock } from "../../src/core/clock.js";
import { MainClient, MemoryRateLimitStore, type RateLimitStore } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { testFolder } from "../bulk/support/folder.js";
import { connection, copies, each, people } from "../bulk/support/school.js";
import { amount } from "../support/amount.js";
import { options } from "../support/clients.js";
import { jsonResponse } from "../support/fetch.js";
import { ManualClock } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const WINDOW = 300 * SECOND;

beforeEach(() => {
  // Makes every pause before a retry as long as possible, so that two runs of a history differ only in the clock's
  // jumps.
  vi.spyOn(Math, "random").mockReturnValue(1);
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
});
afterEach(() => void vi.restoreAllMocks());

/** A clock whose date can be changed, as people and time servers do; its monotonic time continues unchanged. */
function settable(time: Clock & { advance?(ms: number): Promise<void> }) {
  let offset = 0;
  const steady = () => time.steady?.() ?? time.now();
  const clock: Clock = {
    now: () => time.now() + offset,
    steady,
    setTimeout: (callback, ms) => time.setTimeout(callback, ms),
    clearTimeout: (timer) => time.clearTimeout(timer),
    ...(time.during && { during: (work) => (time.during as NonNullable<Clock["during"]>)(work) }),
  };
  const jump = (byMs: number) => {
    offset += byMs;
  };
  return { clock, steady, set: jump };
}

/** The calls of a client: how long each request takes, how it ends, and when the clock is changed meanwhile. */
const step = fc.record({
  use: fc.constantFrom("get" as const, "get" as const, "lookup" as const, "store" as const),
  afterMs: fc.constantFrom(0, 1, SECOND, 70 * SECOND, 310 * SECOND),
  answerMs: fc.constantFrom(0, 3, 900, 29 * SECOND, 31 * SECOND),
  status: fc.constantFrom(200, 200, 200, 401, 429, 503),
  keyMs: fc.constantFrom(0, 5, 900, 31 * SECOND),
  store: fc.constantFrom("works" as const, "works" as const, "throws" as const, "hangs" as const),
  totalTimeout: fc.constantFrom(undefined, undefined, 5 * SECOND, 40 * SECOND, 400 * SECOND),
  jumps: fc.array(
    fc.record({
      afterMs: fc.nat(400 * SECOND),
      byMs: fc.constantFrom(...[SECOND, 60 * SECOND, HOUR, 24 * HOUR].flatMap((ms) => [ms, -ms])),
    }),
    { maxLength: 3 },
  ),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

type Library = typeof import("../../src/index.js");

/**
 * Bundles the library into one file, because the tests' loader takes real time to load the library's parts on first
 * use. `setImmediate` replaces `setTimeout`, because ky's pause of 0 ms before a retry takes real time too.
 */
async function inOneFile(): Promise<Library> {
  const { outputFiles } = await build({
    entryPoints: ["src/index.ts"],
    bundle: true,
    write: false,
    platform: "node",
    format: "iife",
    globalName: "library",
    alias: Object.fromEntries(Object.entries(internalImports("node")).map(([name, file]) => [name, `./${file}`])),
  });
  const text = outputFiles[0]?.text ?? "";
  const make = new Function("require", "setTimeout", `${text}; return library;`);
  return make(createRequire(import.meta.url), setImmediate) as Library;
}

/** Lists when requests were sent, and when and how calls ended, in milliseconds of the monotonic time. */
async function play({ MainClient: Client }: Library, history: readonly Step[], isSet: boolean): Promise<string[]> {
  const time = new ManualClock();
  const { clock, steady, set } = settable(time);
  const begun = steady();
  const lines: string[] = [];
  const note = (what: string) => void lines.push(`${steady() - begun} ms: ${what}`);
  const after = (ms: number) => new Promise<void>((resolve) => void time.setTimeout(resolve, ms));
  let now: Step | undefined;
  const fetch = async (url: string) => {
    const { answerMs = 0, status = 200 } = now ?? {};
    const { pathname } = new URL(url);
    note(`request ${pathname}`);
    await after(answerMs);
    const retryAfter: Record<string, string> = status === 429 ? { "retry-after": "7" } : {};
    if (status !== 200) return jsonResponse(errorBody(status), status, retryAfter);
    return jsonResponse(pathname.endsWith("accounts") ? [accountRecord()] : accountRecord());
  };
  const slots = new MemoryRateLimitStore();
  const store: RateLimitStore = {
    reserve: async (request) => {
      if (now?.store === "throws") throw new Error("the store is down");
      if (now?.store === "hangs") await new Promise(() => undefined);
      // Processes share a store, so this one uses monotonic time and converts its responses to the time of the calling
      // process.
      const claim = slots.reserve({ ...request, now: steady() });
      if (claim.granted || claim.retryAt === null) return claim;
      return { ...claim, retryAt: claim.retryAt - steady() + request.now };
    },
    settle: (settlement) => slots.settle({ ...settlement, now: steady() }),
    block: ({ key, until, now: asked }) => slots.block({ key, until: until - asked + steady() }),
  };
  let keys = 0;
  const apiKey = async () => {
    const number = ++keys;
    await after(now?.keyMs ?? 0);
    return `key-${number}`;
  };
  const limits = { requests: 3, windowMs: WINDOW, concurrency: 2 };
  const settings = { fetch, clock, timeout: 30 * SECOND };
  const client = new Client(options({ ...settings, apiKey, rateLimit: limits }));
  const sharing = new Client(options({ ...settings, rateLimit: { ...limits, store } }));
  const byName = client.accounts.lookup("name", { maxAge: 100 * SECOND });
  // Makes a first call, because a thread computes the key's digest in real time.
  await time.run(sharing.accounts.get(7));
  let open = history.length;
  for (const [index, one] of history.entries()) {
    await time.advance(one.afterMs);
    now = one;
    for (const { afterMs, byMs } of isSet ? one.jumps : []) void time.setTimeout(() => set(byMs), afterMs);
    const limited = one.totalTimeout === undefined ? {} : { totalTimeout: one.totalTimeout };
    const call: PromiseLike<unknown> =
      one.use === "lookup"
        ? byName.get("x")
        : (one.use === "store" ? sharing : client).accounts.get(index + 1, limited);
    const endCall = (how: string) => {
      open--;
      note(`call ${index} ${how}`);
    };
    call.then(
      () => endCall("gave its record"),
      ({ name }: Error) => endCall(name),
    );
  }
  for (let hours = 0; open > 0 && hours < 24; hours++) await time.advance(HOUR);
  if (open > 0) lines.push(`${open} calls have not ended`);
  return lines;
}

const HISTORIES = Number(process.env.CLOCK_HISTORIES ?? amount(16, 2_000));

test("a clock that is changed at any time shifts no request and no end of a call by a millisecond", async () => {
  const library = await inOneFile();
  const history = fc.array(step, { minLength: 2, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const lines = await play(library, steps, true);
      expect(lines).toEqual(await play(library, steps, false));
      expect(lines.at(-1)).not.toContain("not ended");
    }),
    { numRuns: HISTORIES },
  );
}, 900_000);

test("nor does it shift a bulk request, and no bulk request is sent twice", async () => {
  const at = testFolder();
  const rows = people(6);
  let plans = 0;
  const jump = fc.constantFrom(0, 0, SECOND, -SECOND, HOUR, -HOUR, 24 * HOUR, -24 * HOUR);
  const sentAt = async (jumps: readonly number[], lost: number) => {
    const sandbox = createSandbox({ size: "small", freeze: true, skipWaits: true, rateLimit: false });
    const { clock, steady, set } = settable(sandbox.clock);
    const begun = steady();
    const sent: string[] = [];
    const fetch: typeof sandbox.fetch = async (input, init) => {
      sent.push(`${steady() - begun} ms: ${init?.method} ${new URL(String(input)).pathname}`);
      set(jumps[sent.length % jumps.length] ?? 0);
      const response = await sandbox.fetch(input, init);
      if (init?.method === "POST" && sandbox.calls("users.create").length === lost) throw new TypeError("lost");
      return response;
    };
    const rateLimit = { requests: 8, windowMs: 60 * SECOND };
    const client = new MainClient({ ...connection(sandbox), fetch, clock, rateLimit, retry: { limit: 0 } });
    const path = at(`${++plans}.plan`);
    await plan(client.users, rows, { to: path, key: "email" });
    await apply(client, path);
    expect(copies(sandbox)).toEqual(each(rows.length));
    return sent;
  };
  await fc.assert(
    fc.asyncProperty(fc.array(jump, { minLength: 1, maxLength: 20 }), fc.nat(6), async (jumps, lost) => {
      expect(await sentAt(jumps, lost)).toEqual(await sentAt([0], lost));
    }),
    { numRuns: amount(3, 20) },
  );
}, 900_000);
