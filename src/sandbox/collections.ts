import type * as z from "zod/mini";
import { resourceNameOf } from "../core/operation.js";
import { model, type Schema } from "../core/schema/model.js";
import { fieldsOf } from "../core/schema/traits.js";
import { allOperations } from "../operations.js";
import { SAMPLE_SCHOOL } from "./custom/definitions.js";
import type { RelatedByName, Seed } from "./data/domain.js";
import { mannersOf } from "./data/manners.js";
import { referencesIn } from "./data/references.js";
import type { CollectionName, Store } from "./data/store.js";
import { countsOf } from "./data/world.js";
import { seedsOf } from "./domains.js";

export interface CollectionFacts {
  readonly schema: Schema;
  /** The collection to which each identifier field refers. */
  readonly targets: RelatedByName;
  /** `targets` without the reference to the record itself: nested parts may have it before the record exists. */
  readonly others: RelatedByName;
}

// Each collection comes after those to which its records refer, because records are inserted in this order. Unlisted
// collections come last.
const ORDER =
  "departments educators referrals signupQuestions webhooks webhookNotifications customObjects customAssociations " +
  "customFieldOptions customRecords labels users accounts affiliations authentications emails organizations " +
  "organizationAccounts organizationAffiliations categories courseLocations courseTabs courseVariants courses " +
  "editionDescriptionSections materialGroups materials meetingLocations plannedCourses programs programEditions " +
  "programElements theses creditCategories discountCodes invoiceVats paymentMethods paymentOptions teacherRoles " +
  "teachers meetings planningEvents teacherEnrollments catalogProducts catalogVariants leads orders enrollments " +
  "attendances programEnrollments personalProgramElements credits invoices payments tasks comments certificates grades";

let known: ReadonlyMap<CollectionName, CollectionFacts> | undefined;

export function factsOf(name: CollectionName): CollectionFacts {
  return allFacts().get(name) as CollectionFacts;
}

/** The schema and references of every collection, in the order in which records are inserted. */
export function allFacts(): ReadonlyMap<CollectionName, CollectionFacts> {
  known ??= deriveFacts();
  return known;
}

function deriveFacts(): Map<CollectionName, CollectionFacts> {
  const world = { counts: countsOf(1), school: SAMPLE_SCHOOL, store: {} as Store, manners: mannersOf() };
  const seeds = seedsOf(world);
  const names = new Set([...ORDER.split(" "), ...Object.keys(seeds)]) as ReadonlySet<CollectionName>;
  return new Map(
    [...names].map((name) => {
      const targets = referencesIn(name);
      const { [`${name.replace(/s$/, "")}_id`]: _, ...others } = targets;
      return [
        name,
        { schema: storedSchema(name, (seeds[name] as unknown as Seed<never>).stored?.()), targets, others },
      ];
    }),
  );
}

// rule: a record is returned in its most complete form, with `payments`, `course_tab_contents` and so on; fields that
// the service description does not show are taken from other public sources.

// The response schema with the most fields, preferably from a read operation, plus the fields that only the store has.
function storedSchema(name: string, more: z.core.$ZodShape | undefined): Schema {
  const size = (schema: Schema | undefined) => Object.keys(fieldsOf(schema)).length;
  const operations = allOperations.filter(({ id, response }) => resourceNameOf(id) === name && response);
  const reading = operations.filter(({ id }) => /\.(get|list)$/.test(id));
  const shown = (reading.length > 0 ? reading : operations)
    .map(({ response }) => response)
    .reduce((fullest, each) => (size(each) > size(fullest) ? each : fullest), undefined);
  if (shown && !more) return shown;
  return model(() => ({ ...(fieldsOf(shown) as z.core.$ZodShape), ...more }));
}
