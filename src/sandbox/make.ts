import type * as z from "zod/mini";
import type { Schema } from "../core/model.js";
import type { FactoryTypes } from "../generated/factory-types.js";
import * as schemas from "../schemas.js";
import type { Identified, Records } from "./collection.js";
import { hashText, mix, Random } from "./random.js";
import { sample } from "./sample.js";
import type { Store } from "./store.js";

/**
 * Makes a record or a body that its schema accepts, with the fields given. Every record made gets another identifier;
 * nothing is stored.
 */
export type Factory<T> = (fields?: Partial<T>) => T;

/** A factory for every record and every body, named as its type. */
export type Factories = { readonly [Name in keyof FactoryTypes]: Factory<FactoryTypes[Name]> };

// Records that the store can make: those look like its own. The others are made from their schema alone.
const STORED: Readonly<Record<string, (store: Store) => unknown>> = {
  adminCatalogVariant: (store) => store.catalogVariants,
  adminComment: (store) => store.comments,
  attendanceRecord: (store) => store.organization.attendanceRecords,
  attendanceSummary: (store) => store.attendances,
  category: (store) => store.categories,
  contact: (store) => store.organization.contacts,
  courseEdition: (store) => store.organization.courseEditions,
  courseEnrollment: (store) => store.organization.courseEnrollments,
  creditCategory: (store) => store.creditCategories,
  invoiceVat: (store) => store.invoiceVats,
  orderComment: (store) => store.comments,
  organizationMeeting: (store) => store.organization.meetings,
  organizationProgramEdition: (store) => store.organization.programEditions,
  organizationProgramEnrollment: (store) => store.organization.programEnrollments,
};

/** Makes the factories of a sandbox. @internal */
export function createFactories(store: Store, seed: number): Factories {
  const factories: Record<string, Factory<Record<string, unknown>>> = {};
  for (const [exported, schema] of Object.entries(schemas)) {
    const name = /^(\w+)(?<!Query|Path)Schema$/.exec(exported)?.[1];
    if (name === undefined) continue;
    const stored = STORED[name]?.(store) ?? (store as unknown as Record<string, unknown>)[`${name}s`];
    const records = stored as Records<Identified> | undefined;
    let made = 0;
    factories[name] = (fields = {}) => {
      const number = made++;
      if (!records) {
        const drawn = sample(schema as Schema, new Random(mix(hashText(`${name} ${number}`), seed)));
        return { ...(drawn as object), ...fields };
      }
      const { id = records.draft().id + number } = fields as { id?: number };
      return { ...only(records.draft({ ...fields, id }), schema as z.ZodMiniObject), ...fields };
    };
  }
  return factories as unknown as Factories;
}

// The store keeps more of some records than one rendering shows.
function only(record: object, schema: z.ZodMiniObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name in schema.shape));
}
