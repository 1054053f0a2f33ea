import type { CatalogProduct } from "../../resources/catalog/catalog-products.js";
import type { ProgramEdition } from "../../resources/programs/program-editions.js";
import type { Program } from "../../resources/programs/programs.js";
import type { Store } from "../data/store.js";
import { placesOf, variantOfEdition } from "./participants.js";

/** Brings the catalog product of a program up to date; one that is new to the catalog gets one. @internal */
export function showProgram(store: Store, program: Program, now: string): CatalogProduct | undefined {
  const { name, slug, cost, cost_scheme, is_published, category_id } = program;
  const shown = { name, slug, cost, cost_scheme, is_published, category_id };
  const product = productOf(store, program.id);
  if (product) return store.catalogProducts.update(product.id, shown);
  return store.catalogProducts.insert({
    ...shown,
    productable_type: "Program::Program",
    productable_id: program.id,
    label_ids: [],
    show_on_website: is_published,
    created_at: now,
    updated_at: now,
    custom: {},
    custom_associations: {},
  });
}

/** Takes a program out of the catalog. @internal */
export function hideProgram(store: Store, programId: number): void {
  const product = productOf(store, programId);
  if (product) store.catalogProducts.delete(product.id);
}

/** Brings the catalog variant of a program edition up to date; one that is new to the catalog gets one. @internal */
export function showEdition(store: Store, edition: ProgramEdition, now: string): void {
  const program = store.programs.get(edition.program_id);
  const product = program && (productOf(store, program.id) ?? showProgram(store, program, now));
  const { name, cost, cost_scheme, is_published } = edition;
  const shown = {
    ...(product && { product_id: product.id }),
    ...{ name, cost, cost_scheme, is_published },
    ...placesOf(edition),
  };
  const variant = variantOfEdition(store, edition.id);
  if (variant) store.catalogVariants.update(variant.id, shown);
  else {
    store.catalogVariants.insert({
      ...shown,
      variantable_type: "Program::Edition",
      variantable_id: edition.id,
      show_on_website: is_published,
      created_at: now,
      updated_at: now,
      custom: {},
      custom_associations: {},
      edition_description_section_contents: [],
    });
  }
}

/** Takes a program edition out of the catalog. @internal */
export function hideEdition(store: Store, editionId: number): void {
  const variant = variantOfEdition(store, editionId);
  if (variant) store.catalogVariants.delete(variant.id);
}

function productOf({ catalogProducts }: Store, programId: number): CatalogProduct | undefined {
  return catalogProducts.find((row) => row.productable_type === "Program::Program" && row.productable_id === programId);
}
