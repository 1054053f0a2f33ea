import type { Course } from "../../resources/catalog/courses.js";
import { amount } from "../data/world.js";
import { unprocessable } from "../engine/refusal.js";

export type Price = Pick<Course, "cost" | "cost_scheme">;

export const NO_PRICE: Price = { cost: null, cost_scheme: "student" };

export function hasPrice(scheme: Price["cost_scheme"]): boolean {
  return scheme === "student" || scheme === "order";
}

/** The cost scheme that fits a chosen cost; undefined if no cost was chosen. */
export function schemeOf({ cost }: Partial<Pick<Price, "cost">>): "free" | "student" | undefined {
  if (cost === undefined) return undefined;
  return cost === null ? "free" : "student";
}

/**
 * The price after a write. A body may contain the cost as text or as a number; records contain text. A body without a
 * price is accepted even if the record has no cost: the manners can set the cost of a seeded record to null, which must
 * not prevent renaming or ordering.
 * @throws Refusal 422 if the cost scheme needs a cost and there is none.
 */
export function priceAfter(
  before: Price,
  sent: { readonly cost?: number | string | null | undefined; readonly cost_scheme?: Price["cost_scheme"] | undefined },
): Price {
  const { cost: given = before.cost, cost_scheme = before.cost_scheme } = sent;
  const cost = typeof given === "number" ? amount(given * 100) : given;
  const says = sent.cost !== undefined || sent.cost_scheme !== undefined;
  if (says && cost === null && hasPrice(cost_scheme)) {
    throw unprocessable("cost", `is required when cost_scheme is ${cost_scheme}`);
  }
  return { cost, cost_scheme };
}
