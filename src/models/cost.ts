import type * as z from "zod/mini";
import type { CostScheme } from "./enumerations.js";

interface Charged {
  readonly cost?: number | string | null | undefined;
  readonly cost_scheme?: CostScheme | undefined;
}

const hasPrice = (scheme: CostScheme) => String(scheme) === "student" || String(scheme) === "order";

/**
 * Requires a cost for a new record whose cost scheme needs one; a scheme left out counts as `student`.
 * @param price an example of the field's format, for the message: `"450.00"` or `450`.
 */
export function costNeeded(price: string): z.core.CheckFn<Charged> {
  return ({ value, issues }) => {
    const { cost, cost_scheme: scheme = "student" } = value;
    if (!hasPrice(scheme) || (cost !== undefined && cost !== null)) return;
    const when =
      value.cost_scheme === undefined ? 'cost_scheme is left out, which means "student"' : `cost_scheme is "${scheme}"`;
    const message = `is required when ${when}; give a price such as ${price}, or the cost_scheme "tbd" or "free"`;
    issues.push({ code: "custom", path: ["cost"], input: cost, message });
  };
}

/** Refuses an update that removes the cost and sets a scheme that needs a cost; see {@link costNeeded}. */
export function costKept(price: string): z.core.CheckFn<Charged> {
  return ({ value: { cost, cost_scheme: scheme }, issues }) => {
    if (scheme === undefined || !hasPrice(scheme) || cost !== null) return;
    const message = `cannot be null when cost_scheme is "${scheme}"; give a price such as ${price}, or leave cost out to keep it`;
    issues.push({ code: "custom", path: ["cost"], input: cost, message });
  };
}
