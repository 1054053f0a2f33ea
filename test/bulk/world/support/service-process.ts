import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Lied } from "./lies.ts";
import type { LyingWorld } from "./lying-world.ts";
import type { WorldLog, WorldSetup } from "./odd-world.ts";
import type { SkippingClock } from "./skipping-clock.ts";

const PROGRAM = fileURLToPath(new URL("odd-service.ts", import.meta.url));

/** A separate process that serves odd services, each with its own token. */
export class ServiceProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  #worlds = 0;

  private constructor(child: ChildProcess, port: string) {
    this.#child = child;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<ServiceProcess> {
    const child = spawn(process.execPath, [PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
    const port = await new Promise<string>((resolve, reject) => {
      child.stdout?.once("data", (chunk) => resolve(String(chunk).trim()));
      child.once("exit", (code) => reject(new Error(`the service ended with ${code}`)));
    });
    return new ServiceProcess(child, port);
  }

  /** Creates a service. @returns its token. */
  async make(setup: WorldSetup | { readonly lied: Lied; readonly start: number }): Promise<string> {
    const token = `world-${++this.#worlds}-${this.url.split(":").at(-1)}`;
    await this.#control("make", token, 0, setup);
    return token;
  }

  /** The history of a service up to a time, including what was due by then. */
  async log(token: string, until: number): Promise<WorldLog> {
    return (await (await this.#control("log", token, until)).json()) as WorldLog;
  }

  /** The records of a lying service, before the first write and now. */
  async lying(token: string): Promise<ReturnType<LyingWorld["log"]>> {
    return (await (await this.#control("log", token, 0)).json()) as ReturnType<LyingWorld["log"]>;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin?.end();
    await ended;
  }

  async #control(what: string, token: string, time: number, body?: unknown): Promise<Response> {
    const response = await fetch(`${this.url}/control/${what}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "x-time": String(time) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${what}: ${response.status}`);
    return response;
  }
}

/** The time that a request or a response takes to arrive, in milliseconds. */
export const LATENCY_MS = 40;

/**
 * Returns a `fetch` that sends requests to an odd service on a clock's time. The clock stands still while a request is
 * in progress.
 */
export function fetchIn(clock: SkippingClock): typeof fetch {
  return async (input, init) => {
    clock.pass(LATENCY_MS);
    const request = new Request(input, init);
    request.headers.set("x-time", String(clock.now()));
    const answer = await clock.during(async () => {
      const response = await fetch(request);
      return { response, body: await response.arrayBuffer() };
    });
    clock.pass(LATENCY_MS);
    const { response, body } = answer;
    if (response.headers.has("x-never")) return never(init?.signal ?? request.signal);
    const bare = body.byteLength === 0;
    return new Response(bare ? null : body, { status: response.status, headers: response.headers });
  };
}

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
  });
}
