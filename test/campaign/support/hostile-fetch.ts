import { type Case, clientOf, MILLION, TIMEOUT_MS } from "./hostile-case.ts";

/** The ways in which a `fetch` passed by the caller can harm the library. */
export function callerFetch(): Case[] {
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

// A graph in which every object refers to every other.
function graph(size: number): unknown {
  const nodes = Array.from({ length: size }, () => ({}) as Record<string, unknown>);
  for (const node of nodes) for (const [index, other] of nodes.entries()) node[`n${index}`] = other;
  return nodes[0];
}
