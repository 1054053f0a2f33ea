import { isEducationAdminError } from "../core/errors.js";
import { isPlainObject } from "../core/json.js";
import { didYouMean } from "../core/option-checks.js";
import type { SchoolChecks } from "../core/school.js";
import { CUSTOM_KINDS } from "../models/custom-kinds.js";
import { allOperations } from "../operations.js";
import type { Values } from "./fields.js";
import { customSlugs, type PlanSettings, wrong } from "./node-plan-settings.js";
import { PAGE, type Service } from "./service.js";

/**
 * Refuses custom fields that the school does not have: those that no sign-up question defines and none of the first records shows.
 * One request, or two; none where the client has the option `school`, which checks every row.
 * @throws InputError naming the field.
 */
export async function checkCustomFields(
  service: Service,
  { target, words }: PlanSettings,
  paths: readonly string[],
): Promise<void> {
  const slugs = customSlugs(paths);
  const kind = (CUSTOM_KINDS as Readonly<Record<string, string | undefined>>)[target.name];
  const { school } = target.transport.settings as { readonly school?: SchoolChecks };
  const questions = allOperations.find(({ id, apis }) => id === "signupQuestions.list" && apis.includes(target.api));
  if (slugs.length === 0 || kind === undefined || school || !questions) return;
  const known = new Set<string>();
  try {
    for await (const { records } of service.pages(questions, {}, { per_page: PAGE })) {
      for (const { slug, for_type: type } of records as readonly Values[]) {
        if (`${type}s` === kind && typeof slug === "string") known.add(slug);
      }
    }
    const { list } = target.rows;
    // Some fields show only in records.
    if (list && slugs.some((slug) => !known.has(slug))) {
      for await (const { records } of service.pages(list, target.params, {})) {
        for (const { custom } of records)
          if (isPlainObject(custom)) for (const slug of Object.keys(custom)) known.add(slug);
        break;
      }
    }
  } catch (error) {
    // The key may not read the questions. Then the service itself refuses wrong fields.
    if (isEducationAdminError(error, "api")) return;
    throw error;
  }
  const unknown = slugs.find((slug) => !known.has(slug));
  if (unknown === undefined) return;
  const names = [...known].map((slug) => `custom.${slug}`);
  const message = `names "custom.${unknown}": no sign-up question defines that custom field, and no record shows it${didYouMean(`custom.${unknown}`, names)}`;
  throw wrong(words, "columns", message);
}
