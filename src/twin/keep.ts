import { isPlainObject } from "../core/json.js";
import { fieldsOf, formatOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import { type AnyRecord, isId } from "../doctor/reader.js";

const PRICE = "cost cost_scheme";
const SHOWN = "position is_published";

/**
 * The lists without personal data, and the fields of their records that a twin keeps. A twin keeps no long texts, URLs,
 * times, or counts that the service computes.
 */
export const KEPT: Readonly<Record<string, string>> = {
  categories: `name slug parent_id ${SHOWN}`,
  courses: `name slug code category_id label_ids duration level result starting_price ${PRICE} ${SHOWN}`,
  programs: `name slug category_id is_published ${PRICE}`,
  catalogProducts: `name slug category_id label_ids productable_id productable_type currency ${PRICE} ${SHOWN} show_on_website`,
  courseVariants: "name",
  courseLocations: "name",
  courseTabs: "name position",
  labels: "name color model_type",
  invoiceVats: "name percentage has_vat",
  paymentMethods: "name gateway",
  paymentOptions: "name available_from extra_cost percentage multiplier",
  teacherRoles: "name",
};

const MOST_LETTERS = 120;
const CODE = /^-?[\d.]+$|^#[\da-f]{3,8}$/i;

/**
 * The parts of a list's records that a twin keeps, sorted by identifier.
 * @param names false leaves out every text that is not an amount, a color or a value of an enumeration.
 */
export function keptOf(list: string, records: readonly AnyRecord[], schema: Schema, names: boolean): AnyRecord[] {
  const fields = (KEPT[list] ?? "").split(" ");
  const kept = records
    .filter(({ id }) => isId(id))
    .map((record) => {
      const keptFields = fields.filter(
        (field) => field in record && isKept(field, record[field], fieldsOf(schema)[field], names),
      );
      return Object.fromEntries([["id", record.id], ...keptFields.map((field) => [field, record[field]])]);
    });
  const unique = new Map(kept.map((record) => [record.id, record]));
  return [...unique.values()].sort((a, b) => (a.id as number) - (b.id as number));
}

/** A school's own fields, without texts that may contain more than a name. */
export function keptOfSchool<Part extends object>(part: Part): Part {
  // Keeps or drops a list of choices as a whole: with only some choices, a field would refuse the others.
  const kept = Object.entries(part).filter((entry) =>
    entry.flat().every((each) => typeof each !== "string" || isName(each)),
  );
  return Object.fromEntries(
    kept.map(([name, inner]) => [name, isPlainObject(inner) ? keptOfSchool(inner) : inner]),
  ) as Part;
}

// A text that contains an address, a link, markup or a long number is not just a name.
function isName(text: string): boolean {
  return text.length <= MOST_LETTERS && !/[@<>]|:\/\/|\d{7}/.test(text);
}

function isKept(field: string, value: unknown, schema: Schema | undefined, names: boolean): boolean {
  if (field.endsWith("_ids")) return Array.isArray(value) && value.every(isId);
  if (value === null || typeof value === "boolean" || typeof value === "number") return true;
  if (typeof value !== "string" || field.endsWith("_id")) return false;
  if (!isName(value)) return false;
  const traits = schema && traitsOf(unwrap(schema));
  const isNumber = field === "color" || (schema !== undefined && formatOf(unwrap(schema)) === "decimal");
  return names || (isNumber && CODE.test(value)) || (traits?.kind === "enumeration" && traits.values.includes(value));
}
