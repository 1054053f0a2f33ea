import * as z from "zod/mini";

/** An e-mail address as sent. Refused is only what no mail server could take: text without one `@` between other characters. */
export function emailInput(): z.ZodMiniType<string, string> {
  return z.email({ pattern: /^[^\s@]+@[^\s@]+$/, error: "must be an e-mail address" });
}

/** A complete `http` or `https` address as sent. */
export function urlInput(): z.ZodMiniType<string, string> {
  return z.url({ protocol: /^https?$/, error: "must be a complete address, https://…" });
}
