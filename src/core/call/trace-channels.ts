import { API_PREFIX, type Operation } from "../operation.js";
import { type EndedAttempt, isComplete, reasonOf } from "./attempt-result.js";
import type { CallMessage, Channel, Channels, RequestMessage } from "./trace.js";

/** The diagnostics channels on Node, Bun and Deno; browsers and Workers do not load this file: see platform.ts. */

interface Diagnostics {
  tracingChannel?(name: string): Channel<never>;
  subscribe?(name: string, subscriber: (message: unknown) => void): void;
}

/** The module `node:diagnostics_channel`. Not imported, because some platforms lack it. */
export function diagnostics(): Diagnostics | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.("node:diagnostics_channel") as Diagnostics | undefined;
}

let found: Channels | null | undefined;

export function channels(): Channels | null {
  if (found !== undefined) return found;
  const channel = (name: string) => diagnostics()?.tracingChannel?.(`education-admin-sdk:${name}`);
  const [call, request] = [channel("call"), channel("request")];
  found = call && request ? ({ call, request } as Channels) : null;
  return found;
}

export function isTraced(): boolean {
  const all = channels();
  return all !== null && (all.call.hasSubscribers || all.request.hasSubscribers);
}

/** Makes a call and notifies the subscribers of its channel. Use it only if {@link isTraced} returns true. */
export function traceCall<T>(
  { method, path, id, apis }: Operation,
  client: CallMessage["client"],
  work: (message: CallMessage) => Promise<T>,
): Promise<T> {
  const [api] = apis;
  const message: CallMessage = {
    operation: api ? id : null,
    method,
    template: api ? `${API_PREFIX[api]}/${path}` : null,
    client,
    attempts: 0,
    events: [],
  };
  return traceWork((channels() as Channels).call, message, () => work(message));
}

export function traceRequest<T extends EndedAttempt>(
  call: CallMessage | undefined,
  attempt: number,
  work: (within: RequestMessage["within"]) => Promise<T>,
): Promise<T> {
  if (!call) return work(undefined);
  const message: RequestMessage = { call, attempt };
  call.attempts = attempt;
  return traceWork((channels() as Channels).request, message, async () => {
    const ended = await work(message.within);
    const { result, response } = ended;
    message.status = call.status = response?.status || undefined;
    if (!isComplete(result)) {
      message.failure = reasonOf(result);
      message.code = result.kind === "connection" ? result.code : null;
    }
    return ended;
  });
}

// The channel must not see what a promise resolves to: records hold personal data.
async function traceWork<T, Message extends object>(
  channel: Channel<Message>,
  message: Message,
  work: () => Promise<T>,
): Promise<T> {
  let value: T | undefined;
  await channel.tracePromise(async () => {
    value = await work();
  }, message);
  return value as T;
}
