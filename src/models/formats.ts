import type * as z from "zod/mini";
import { rule, textInput } from "../core/schema/model.js";

/** An e-mail address as sent: one `@` between other characters, without white space. */
export function emailInput(): z.ZodMiniType<string, string> {
  const form = /^[^\s@]+@[^\s@]+$/;
  return textInput(
    { type: "string", format: "email", pattern: form.source },
    rule((text) => form.test(text), "must be an e-mail address"),
  );
}

/** A complete `http` or `https` address as sent. */
export function urlInput(): z.ZodMiniType<string, string> {
  const message = "must be a complete http or https address";
  return textInput(
    { type: "string", format: "uri" },
    rule((text) => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text), message),
    message,
  );
}
