import { signWebhook } from "../../webhooks/receive/sign.js";
import { reader } from "../arguments.js";

export interface Receiver {
  readonly url: string;
  /** Secrets from the environment; null to post events without a signature. */
  readonly secrets: readonly string[] | null;
  readonly header: string | undefined;
}

export interface Forwarded {
  readonly accepted: boolean;
  /** The response's status, or the reason why there was no response. */
  readonly answer: string;
}

// The service itself waits this long for a response.
const TIMEOUT_MS = 10_000;

export const receiverUrl = /* @__PURE__ */ reader(
  "must be a complete address, such as http://127.0.0.1:3000/webhooks",
  (text) => (/^https?:$/.test(URL.parse(text)?.protocol ?? "") ? text : undefined),
);

export const timeAgo = /* @__PURE__ */ reader(
  "must be a time before now, such as 30m, 2h or 1d, or a date such as 2030-01-01T09:00Z",
  (text) => {
    const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
    const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
    const time = unit === undefined ? Date.parse(text) : Date.now() - Number(count) * (units[unit] ?? 0);
    return Number.isNaN(time) ? undefined : new Date(time);
  },
);

/** Posts an event as the service would. Never rejects: the result contains the reason for a failure. */
export async function forward(receiver: Receiver, body: string, stop?: AbortSignal): Promise<Forwarded> {
  const { url, secrets, header } = receiver;
  const signature = secrets === null ? {} : await signWebhook({ body, secrets, header });
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const headers = { ...signature, "content-type": "application/json" };
    const signal = stop ? AbortSignal.any([timeout, stop]) : timeout;
    const { status, body: answer } = await fetch(url, { method: "POST", body, headers, signal, redirect: "manual" });
    await answer?.cancel();
    return { accepted: status >= 200 && status < 300, answer: String(status) };
  } catch (error) {
    if (stop?.aborted) return { accepted: false, answer: "stopped" };
    return { accepted: false, answer: timeout.aborted ? "no answer in 10 s" : `no connection${causeOf(error)}` };
  }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === "string" ? ` (${cause.code})` : "";
}
