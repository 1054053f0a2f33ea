import { isEducationAdminError } from "../core/errors.js";
import { isPlainObject } from "../core/json.js";
import { didYouMean } from "../core/option-checks.js";
import type { SchoolChecks } from "../core/school.js";
import { CUSTOM_KINDS } from "../models/custom-kinds.js";
import type { SignupQuestionFieldType } from "../models/enumerations.js";
import { allOperations } from "../operations.js";
import type { Values } from "./fields.js";
import type { CellKind } from "./file/cells.js";
import { type PlanSettings, planOptionError } from "./node-plan-settings.js";
import { customSlugs } from "./plan-columns.js";
import { PAGE, type Service } from "./service.js";

const KINDS: Readonly<Record<SignupQuestionFieldType, CellKind>> = {
  boolean: "flag",
  datepicker: "day",
  decimal: "amount",
  multiselect: "texts",
  phone: "text",
  select: "text",
  ssn: "text",
  string: "text",
  text: "text",
  vat_number: "text",
};

/**
 * Finds the kinds of custom fields, and refuses fields that no sign-up question defines and none of the first records
 * shows. Takes one or two requests; for a client with the option `school`, which checks every row itself, one if
 * formats are given or cells are typed, otherwise none.
 * @param isTyped true for the cells of a workbook.
 * @throws InputError naming the field.
 */
export async function kindsOfCustomFields(
  service: Service,
  { target, formats, words }: PlanSettings,
  paths: readonly string[],
  isTyped: boolean,
): Promise<ReadonlyMap<string, CellKind>> {
  const kinds = new Map<string, CellKind>();
  const slugs = customSlugs(paths);
  const kind = (CUSTOM_KINDS as Readonly<Record<string, string | undefined>>)[target.name];
  const { school } = target.transport.settings as { readonly school?: SchoolChecks };
  const questions = allOperations.find(({ id, apis }) => id === "signupQuestions.list" && apis.includes(target.api));
  const isChecked = school !== undefined;
  const isFormatted = isTyped || Object.values(formats).some((format) => format !== undefined);
  if (slugs.length === 0 || kind === undefined || (isChecked && !isFormatted) || !questions) return kinds;
  const known = new Map<string, unknown>();
  try {
    const ofKind: Values[] = [];
    for await (const { records } of service.pages(questions, {}, { per_page: PAGE })) {
      ofKind.push(...(records as readonly Values[]).filter(({ for_type: type }) => `${type}s` === kind));
    }
    // If two questions have the same slug, the older one counts.
    for (const { slug, field_type: type } of ofKind.sort((one, other) => Number(one.id) - Number(other.id))) {
      if (typeof slug === "string" && !known.has(slug)) known.set(slug, type);
    }
    // Some custom fields have no question and show only in records.
    if (!isChecked && slugs.some((slug) => !known.has(slug))) {
      for await (const { records } of service.listed()) {
        for (const { custom } of records) {
          for (const slug of isPlainObject(custom) ? Object.keys(custom) : []) {
            if (!known.has(slug)) known.set(slug, null);
          }
        }
        break;
      }
    }
  } catch (error) {
    // Without access to the questions, unknown fields are left to the service, which refuses them.
    if (isEducationAdminError(error, "api")) return kinds;
    throw error;
  }
  for (const [slug, type] of known) {
    const holds = Object.hasOwn(KINDS, String(type)) ? KINDS[type as SignupQuestionFieldType] : undefined;
    if (holds !== undefined) kinds.set(`custom.${slug}`, holds);
  }
  const unknown = slugs.find((slug) => !known.has(slug));
  if (unknown === undefined || isChecked) return kinds;
  const names = [...known.keys()].map((slug) => `custom.${slug}`);
  const message = `names "custom.${unknown}": no sign-up question defines that custom field, and no record shows it${didYouMean(`custom.${unknown}`, names)}`;
  throw planOptionError(words, "columns", message);
}
