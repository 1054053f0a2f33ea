// A service gone bad, or somebody in its place: keys that pollute prototypes, deep, huge and endless bodies, headers made
// to be slow to read, waits of thirty thousand years. Holds: the data passes as data or a typed error comes, in bounded
// time and memory, and nothing stays behind.
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { EducationAdminError, type ErrorCode, isEducationAdminError, MainClient } from "education-admin-sdk";
import { type CampaignOptions, campaign, command, type Figures, type Promises, rounded } from "./support/command.ts";
import { settledHeapMb } from "./support/memory.ts";

export interface HostileCase {
  readonly name: string;
  /** `data`, or the code of the error. */
  readonly end: string;
  readonly ms: number;
  /** Growth of heap and buffers at the most. */
  readonly mb: number;
  /** What is left of that when the answer has been dropped. */
  readonly keptMb: number;
  /** Length of the error's message. */
  readonly message?: number;
}

export interface HostileFigures extends Figures {
  readonly cases: readonly HostileCase[];
  readonly slowestMs: number;
  readonly mostMb: number;
  readonly peakRssMb: number;
  readonly polluted: boolean;
  readonly timers: number;
}

const TOKEN = "token-of-the-hostile-server-campaign";
const TIMEOUT_MS = 500;
const MOST_KEPT_MB = 3;

interface Case {
  readonly name: string;
  readonly end: "data" | ErrorCode;
  /** Most it may take; what no limit is given for is small and fast. */
  readonly ms?: number;
  readonly mb?: number;
  act(): PromiseLike<unknown>;
  /** Says what is wrong with the data or the error. */
  inspect?(found: unknown): string | null;
}

export function run(options: CampaignOptions = {}): Promise<HostileFigures> {
  return campaign("hostile-server", options, async ({ long, promises }) => {
    const worker = new Worker(new URL("./support/hostile-worker.ts", import.meta.url));
    const [[origin, dripping, crumbling]] = (await once(worker, "message")) as [[string, string, string]];
    const repeats = long ? 5 : 1;
    const cases: HostileCase[] = [];
    await measure({ name: "warm up", end: "data", act: () => Promise.resolve() }, promises);
    for (const each of [...overHttp(origin, dripping, crumbling), ...headers(), ...ownFetch()]) {
      const found: HostileCase[] = [];
      for (let times = 0; times < repeats; times++) found.push(await measure(each, promises));
      const slowest = found.reduce((a, b) => (b.ms > a.ms ? b : a));
      const most = (figure: "mb" | "keptMb") => Math.max(...found.map((one) => one[figure]));
      cases.push({ ...slowest, mb: most("mb"), keptMb: most("keptMb") });
    }
    worker.postMessage("close");
    await once(worker, "exit");
    const polluted =
      "polluted" in {} || "polluted" in Object || "polluted" in Error.prototype || "polluted" in globalThis;
    promises.check(!polluted, "no prototype is polluted");
    const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    promises.check(timers === 0, "no timer stays", String(timers));
    return {
      cases,
      slowestMs: Math.max(...cases.map(({ ms }) => ms)),
      mostMb: Math.max(...cases.map(({ mb }) => mb)),
      peakRssMb: rounded(process.resourceUsage().maxRSS / 1024, 0),
      polluted,
      timers,
    };
  });
}

async function measure(each: Case, promises: Promises): Promise<HostileCase> {
  const { name, end, ms = 1_000, mb = 40 } = each;
  const heapBefore = settledHeapMb();
  const { how, took, grown, message, wrong } = await tried(each);
  let keptMb = rounded(settledHeapMb() - heapBefore, 1);
  // What the platform's finalisers have yet to let go of is not kept.
  for (let tries = 0; keptMb > MOST_KEPT_MB && tries < 10; tries++) {
    await pause(20);
    keptMb = rounded(settledHeapMb() - heapBefore, 1);
  }
  promises.check(how === end, "it ends as it should", `${name}: ${how} instead of ${end}`);
  promises.check(took <= ms, "it takes bounded time", `${name}: ${took} ms, at most ${ms}`);
  promises.check(grown <= mb, "it takes bounded memory", `${name}: ${grown} MB, at most ${mb}`);
  promises.check(keptMb <= MOST_KEPT_MB, "it keeps no memory", `${name}: ${keptMb} MB`);
  promises.check(wrong === null, "what comes out is right", `${name}: ${wrong}`);
  promises.check((message ?? 0) < 5_000, "a message stays readable", `${name}: ${message} characters`);
  return { name, end: how, ms: took, mb: grown, keptMb, ...(message === undefined ? {} : { message }) };
}

async function tried({ act, inspect }: Case): Promise<{
  how: string;
  took: number;
  grown: number;
  message: number | undefined;
  wrong: string | null;
}> {
  const before = memoryMb();
  let most = before;
  const sample = () => {
    most = Math.max(most, memoryMb());
  };
  const sampler = setInterval(sample, 5);
  const started = performance.now();
  let found: unknown;
  let how = "data";
  try {
    found = await act();
  } catch (error) {
    found = error;
    how = isEducationAdminError(error) ? error.code : `untyped ${String(error).slice(0, 100)}`;
  }
  const took = rounded(performance.now() - started, 1);
  sample();
  clearInterval(sampler);
  const message = found instanceof Error ? found.message.length : undefined;
  return { how, took, grown: rounded(most - before, 1), message, wrong: inspect?.(found) ?? null };
}

function memoryMb(): number {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
}

function clientOf(baseUrl: string, fetch?: (input: string, init: RequestInit) => Promise<Response>): MainClient {
  return new MainClient({
    baseUrl,
    apiKey: TOKEN,
    timeout: TIMEOUT_MS,
    retry: false,
    rateLimit: false,
    on: { drift: () => undefined },
    ...(fetch ? { fetch } : {}),
  });
}

// Real HTTP, the scripted server on the other end.
function overHttp(origin: string, drippingOrigin: string, crumblingOrigin: string): Case[] {
  const client = clientOf(origin);
  const headersOf = (name: string) => ({ headers: { "x-case": name } });
  const get = (name: string, timeout = 20_000) => client.courseVariants.get(1, { ...headersOf(name), timeout });
  const list = (name: string, timeout = 20_000) =>
    client.courseVariants.list({}, { ...headersOf(name), timeout }).then(({ records }) => records);
  const ownProto = (value: unknown) =>
    Object.hasOwn(value as object, "__proto__") && (value as { name?: string }).name !== undefined;
  const slow = { ms: 10_000 };
  // What a client remembers of a service that invents fields is measured on one that knows nothing yet.
  const learning = (name: string) => {
    const fresh = clientOf(origin);
    const read = () =>
      fresh.courseVariants.list({}, { ...headersOf(name), timeout: 20_000 }).then(({ records }) => records);
    return { name, end: "data", act: read, ...slow } as const;
  };
  return [
    {
      name: "polluting_record",
      end: "data",
      act: () => get("polluting_record"),
      inspect: (found) => (ownProto(found) ? null : "the key is gone"),
    },
    {
      name: "polluting_list",
      end: "data",
      act: () => list("polluting_list"),
      inspect: (found) => (ownProto((found as unknown[])[0]) ? null : "the key is gone"),
    },
    {
      name: "polluting_error",
      end: "api",
      act: () => get("polluting_error"),
      // There and back, as through a queue.
      inspect: (found) => {
        const json = JSON.parse(JSON.stringify(found).replace("{", '{"__proto__":{"polluted":true},'));
        const again = EducationAdminError.fromJSON(json);
        return again instanceof EducationAdminError && !("polluted" in again) ? null : "fromJSON let a prototype in";
      },
    },
    { name: "deep_arrays", end: "data", act: () => get("deep_arrays") },
    { name: "deep_objects", end: "data", act: () => get("deep_objects") },
    { name: "deep_instead_of_list", end: "data", act: () => list("deep_instead_of_list") },
    { name: "deep_known_field", end: "data", act: () => get("deep_known_field") },
    { name: "deep_error", end: "api", act: () => get("deep_error") },
    { name: "huge_record", end: "data", ...slow, mb: 250, act: () => get("huge_record") },
    { name: "huge_list", end: "data", ...slow, mb: 500, act: () => list("huge_list") },
    { name: "huge_numbers", end: "data", ...slow, mb: 100, act: () => list("huge_numbers") },
    { name: "huge_error", end: "api", ...slow, mb: 150, act: () => get("huge_error") },
    { name: "huge_html", end: "response_format", ...slow, mb: 250, act: () => get("huge_html") },
    { ...learning("invented_fields"), mb: 250 },
    { ...learning("invented_long_names"), mb: 150 },
    learning("invented_code"),
    {
      name: "invented_fields, strict",
      end: "data",
      ...slow,
      mb: 150,
      act: () => client.courseVariants.list({}, { ...headersOf("invented_fields"), validation: "strict" }),
    },
    {
      name: "long_identifier, strict",
      end: "response_validation",
      act: () => client.courseVariants.list({}, { ...headersOf("long_identifier"), validation: "strict" }),
    },
    // The body is read to its limit of 64 MB; what is counted holds the buffers it outgrew, too.
    { name: "endless_body", end: "response_format", ...slow, mb: 400, act: () => list("endless_body") },
    { name: "endless_error_body", end: "api", ...slow, mb: 400, act: () => get("endless_error_body") },
    { name: "compressed_bomb", end: "response_format", ...slow, mb: 400, act: () => list("compressed_bomb") },
    { name: "announced_10_gigabytes", end: "response_format", act: () => list("announced_10_gigabytes") },
    { name: "dripping_body", end: "timeout", ms: TIMEOUT_MS + 1_000, act: () => get("dripping_body", TIMEOUT_MS) },
    {
      name: "dripping_headers",
      end: "timeout",
      ms: TIMEOUT_MS + 1_000,
      act: () => clientOf(drippingOrigin).courseVariants.get(1),
    },
    {
      name: "crumbling_body",
      end: "timeout",
      ms: 8_000,
      mb: 250,
      act: () => clientOf(crumblingOrigin).courseVariants.get(1, { timeout: 4_000 }),
    },
    { name: "large_header", end: "connection", act: () => list("large_header") },
    {
      name: "retry_after_ages",
      end: "rate_limited",
      act: () =>
        client.courseVariants.get(1, { ...headersOf("retry_after_ages"), totalTimeout: 60_000, retry: { limit: 5 } }),
      inspect: (found) => ((found as { resetAt: Date }).resetAt.getTime() > Date.now() ? null : "resetAt is past"),
    },
    {
      name: "retry_after_ages, everybody else",
      end: "rate_limited",
      act: async () => {
        const shared = new MainClient({ baseUrl: origin, apiKey: `${TOKEN}-of-its-own` });
        const options = { ...headersOf("retry_after_ages"), totalTimeout: 60_000 };
        await shared.courseVariants.get(1, options).catch(() => undefined);
        return shared.courseVariants.get(2, options);
      },
      inspect: (found) => ((found as { attempts: number }).attempts === 0 ? null : "it was sent"),
    },
  ];
}

const MILLION = 1_000_000;

// Headers longer than Node's own client lets through, as a fetch of the caller's own may hand them on.
function headers(): Case[] {
  const answering = (headers: Record<string, string>, status = 200, text = "[]") =>
    clientOf(
      "https://school.example",
      async () => new Response(text, { status, headers: { "content-type": "application/json", ...headers } }),
    );
  const first = (link: string) =>
    answering({ link })
      .courseVariants.list({})
      .then(({ records, hasNext }) => ({ records, hasNext }));
  const link = (name: string, text: string, hasNext: boolean, limits: { ms?: number; mb?: number } = {}): Case => ({
    name: `link: ${name}`,
    end: "data",
    ...limits,
    act: () => first(text),
    inspect: (found) => ((found as { hasNext: boolean }).hasNext === hasNext ? null : `hasNext is not ${hasNext}`),
  });
  const fill = (text: string) => text.repeat(Math.ceil(MILLION / text.length)).slice(0, MILLION);
  const record = JSON.stringify({ errors: {}, code: 422, message: "no" });
  const error = (name: string, headers: Record<string, string>, status: number): Case => ({
    name,
    end: status === 429 ? "rate_limited" : "api",
    act: () => answering(headers, status, record).courseVariants.get(1),
  });
  return [
    // Cut off inside an address or a quoted text: there may be more.
    link("openings", fill("<"), true),
    link("empty targets", fill("<>"), false),
    link("empty links", fill("<>,").slice(0, -1), false),
    link("parameters", `<x>${fill(";a=b")}`, false),
    link("open quotes", fill('<x>;a="'), true),
    link("escapes", `<x>; rel="${fill("\\")}`, true),
    link("blanks", `<x?cursor=1>;${fill(" ")}rel=next`, true),
    link("blanks in quotes", `<x?cursor=1>; rel="${fill(" \t")}next"`, true),
    link("relations", `<x?cursor=1>; rel="${fill("a ")} next"`, true),
    link("commas", `${fill(",")}<x?cursor=1>; rel=next`, true),
    link("previous pages", `${fill("<x>; rel=prev, ")}`.replace(/,[^,]*$/, ', <x?cursor=1>; rel="next"'), true),
    link("long cursor", `<x?cursor=${fill("a")}>; rel=next`, true),
    link("many parameters", `<x?${fill("a=1&")}cursor=1>; rel=next`, true, { ms: 2_000, mb: 120 }),
    link("percent signs", `<x?cursor=${fill("%")}>; rel=next`, true),
    link("dots", `<${fill("../")}?cursor=1>; rel=next`, true),
    {
      name: "link: long cursors, five pages",
      end: "data",
      act: () => {
        let page = 0;
        const client = clientOf("https://school.example", async () =>
          Response.json([], { headers: { link: `<x?cursor=${page++}${fill("a")}>; rel=next` } }),
        );
        return client.courseVariants.list({}, { maxPages: 5 }).toArray();
      },
    },
    error("request id of a million characters", { "x-request-id": fill("a") }, 422),
    error("retry-after of a million digits", { "retry-after": fill("9") }, 429),
    error("retry-after of a million blanks", { "retry-after": `1${fill(" ")}1` }, 429),
    {
      name: "content type of a million characters",
      end: "response_format",
      act: () => answering({ "content-type": fill("a/") }, 200, "no").courseVariants.get(1),
    },
    {
      name: "content type of a million slashes and pluses",
      end: "response_format",
      act: () => answering({ "content-type": `x/${fill("+")}` }, 200, "no").courseVariants.get(1),
    },
  ];
}

// What a fetch of the caller's own can do to the library.
function ownFetch(): Case[] {
  const chunk = new Uint8Array(1_048_576).fill(32);
  const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
  const get = (fetch: () => Promise<Response>) => () => clientOf("https://school.example", fetch).courseVariants.get(1);
  return [
    {
      name: "fetch: endless body with a small content-length",
      end: "response_format",
      ms: 10_000,
      mb: 250,
      act: () =>
        clientOf(
          "https://school.example",
          async () => new Response(endless(), { headers: { "content-length": "5" } }),
        ).courseVariants.get(1, {
          timeout: 20_000,
        }),
    },
    {
      name: "fetch: never answers and does not listen",
      end: "timeout",
      ms: TIMEOUT_MS + 1_000,
      act: get(() => new Promise(() => undefined)),
    },
    {
      name: "fetch: body stands still and does not listen",
      end: "timeout",
      ms: TIMEOUT_MS + 1_000,
      act: get(async () => new Response(new ReadableStream({}))),
    },
    {
      name: "fetch: rejects with a large graph",
      end: "connection",
      act: get(async () => {
        throw Object.assign(new Error("socket hang up"), { agent: graph(30) });
      }),
    },
    {
      name: "fetch: rejects with a large buffer",
      end: "connection",
      act: get(async () => {
        throw Object.assign(new Error("socket hang up"), { rawPacket: new Uint8Array(10_000_000) });
      }),
    },
    {
      name: "half a character was sent",
      end: "api",
      act: () =>
        clientOf("https://school.example", async () =>
          Response.json({ errors: {}, code: 422, message: "no" }, { status: 422 }),
        ).accounts.create({
          name: "half \ud800 a character",
        }),
    },
    {
      name: "ten thousand texts were sent, a long text came",
      end: "api",
      act: () =>
        clientOf("https://school.example", async () =>
          Response.json({ errors: {}, code: 422, message: "x".repeat(MILLION) }, { status: 422 }),
        ).accounts.create({
          name: "x",
          custom: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, `text ${index}`])),
        }),
    },
    {
      name: "fetch: rejects with nothing",
      end: "connection",
      act: get(async () => {
        throw undefined;
      }),
    },
    {
      name: "fetch: resolves with nothing",
      end: "configuration",
      act: get(async () => undefined as unknown as Response),
    },
  ];
}

// Everything refers to everything.
function graph(size: number): unknown {
  const nodes = Array.from({ length: size }, () => ({}) as Record<string, unknown>);
  for (const node of nodes) for (const [index, other] of nodes.entries()) node[`n${index}`] = other;
  return nodes[0];
}

if (import.meta.main) await command(run);
