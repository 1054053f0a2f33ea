import * as z from "zod/mini";
import { onTheWire } from "../core/schema/model.js";

/** An e-mail address as sent. Refused is only what no mail server could take: text without one `@` between other characters. */
export function emailInput(): z.ZodMiniType<string, string> {
  const form = /^[^\s@]+@[^\s@]+$/;
  // Not z.email, whose code no other field needs. The check is given here, because one added later would hide the form.
  const check = z.refine((text) => form.test(text as string), "must be an e-mail address");
  const schema = new z.ZodMiniString({ type: "string", checks: [check] }) as unknown as z.ZodMiniType<string, string>;
  return onTheWire(schema, { type: "string", format: "email", pattern: form.source });
}

/** A complete `http` or `https` address as sent. */
export function urlInput(): z.ZodMiniType<string, string> {
  return z.url({ protocol: /^https?$/, error: "must be a complete address, https://…" });
}
