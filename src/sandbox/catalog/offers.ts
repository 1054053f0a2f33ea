import type * as sdk from "../../generated/resources.js";
import type { Course } from "../../resources/catalog/courses.js";
import type { Identified } from "../data/collection.js";
import { where } from "../data/domain.js";
import type { Store } from "../data/store.js";
import { amount } from "../data/world.js";
import { unprocessable } from "../engine/refusal.js";

export type ProductKind = "Course" | "Program::Program";

export type VariantKind = "PlannedCourse" | "Program::Edition";

export interface Places {
  readonly max_participants: number | null;
  readonly current_participants: number;
  /** Absent for program editions. */
  readonly status?: string;
}

interface Offered extends Identified, Price, Places {
  readonly is_published: boolean;
}

export function availabilityOf(places: number | null): sdk.VariantAvailability {
  if (places === 0) return "not_available";
  return places !== null && places < 4 ? "limited_availability" : "available";
}

export function placesOf(offered: Places): Pick<sdk.AdminCatalogVariant, "available_places" | "availability"> {
  const { max_participants: most, current_participants: taken, status } = offered;
  const places = most === null ? null : Math.max(0, most - taken);
  return { available_places: places, availability: status === "canceled" ? "not_available" : availabilityOf(places) };
}

export function productOf({ catalogProducts }: Store, kind: ProductKind, id: number): sdk.CatalogProduct | undefined {
  return catalogProducts.find(where({ productable_type: kind, productable_id: id }));
}

export function variantOf({ catalogVariants }: Store, kind: VariantKind, id: number) {
  const isIts = where({ variantable_type: kind, variantable_id: id });
  // Tries `id` before searching: a seeded planned course and its variant have the same identifier.
  return isIts(catalogVariants.peek(id) ?? {}) ? catalogVariants.get(id) : catalogVariants.find(isIts);
}

export function showProduct(
  store: Store,
  kind: ProductKind,
  offered: Readonly<sdk.Course | sdk.Program>,
  currency?: sdk.CatalogProduct["currency"],
): sdk.CatalogProduct {
  const { name, slug, cost, cost_scheme, is_published, category_id } = offered;
  const shown = { name, slug, cost, cost_scheme, is_published, category_id };
  const product = productOf(store, kind, offered.id);
  if (product) return store.catalogProducts.update(product.id, shown) ?? product;
  const named = { productable_type: kind, productable_id: offered.id };
  return store.catalogProducts.insert({ ...shown, ...named, currency, label_ids: [], custom: {} });
}

export function showVariant(
  store: Store,
  kind: VariantKind,
  offered: Offered,
  more: Partial<Pick<sdk.AdminCatalogVariant, "name" | "product_id">>,
  currency?: sdk.AdminCatalogVariant["currency"],
): void {
  const { is_published, cost, cost_scheme } = offered;
  const shown = { is_published, cost, cost_scheme, ...placesOf(offered), ...more };
  const variant = variantOf(store, kind, offered.id);
  if (variant) store.catalogVariants.update(variant.id, shown);
  else {
    const named = { variantable_type: kind, variantable_id: offered.id };
    store.catalogVariants.insert({ ...shown, ...named, currency, custom: {} });
  }
}

export function moveParticipant(store: Store, kind: VariantKind, from: number | null, to: number | null): void {
  if (from === to) return;
  const offers = kind === "PlannedCourse" ? store.plannedCourses : store.programEditions;
  offers.recount("current_participants", from, to);
  for (const id of [from, to]) {
    const offered = id === null ? undefined : offers.peek(id);
    const variant = offered && variantOf(store, kind, offered.id);
    if (variant) store.catalogVariants.revise(variant.id, placesOf(offered));
  }
}

export type Price = Pick<Course, "cost" | "cost_scheme">;

export const NO_PRICE: Price = { cost: null, cost_scheme: "student" };

export function hasPrice(scheme: Price["cost_scheme"]): boolean {
  return scheme === "student" || scheme === "order";
}

export function schemeOf({ cost }: Partial<Pick<Price, "cost">>): "free" | "student" | undefined {
  if (cost === undefined) return undefined;
  return cost === null ? "free" : "student";
}

/**
 * The price after a write. Accepts a body without a price even if the record has no cost, because the `manners` option
 * can set the cost of a seeded record to null.
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
