import * as z from "zod/mini";
import { onTheWire, rule, textInput } from "../core/schema/model.js";

/** A decimal as the service writes it: text such as `"12.50"`, never a number, so that no cent is lost. */
export function decimal(): z.ZodMiniType<string, string> {
  return onTheWire(z.string(), { type: "string", format: "decimal" });
}

/** A decimal as sent: text such as `"12.50"`. Numbers are refused, because they can lose cents. */
export function decimalInput(): z.ZodMiniType<string, string> {
  const hint = 'must be decimal text, such as "12.50"; a number is refused because it can lose cents';
  const form = /^-?\d+(\.\d+)?$/;
  return textInput(
    { type: "string", pattern: form.source },
    rule((text) => form.test(text), hint),
    hint,
  );
}
