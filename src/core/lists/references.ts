import { inputError } from "../call/request.js";
import { isPlainObject } from "../json.js";
import type { Operation } from "../operation.js";
import { checkNames, positive } from "../option-checks.js";
import { fieldsOf } from "../validation/traits.js";

/**
 * The records that fields ending in `_id` refer to, by the field's name without that ending: `student` for `student_id`.
 * The core knows no record: src/resources/references.ts fills this interface.
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules of the resources add to it.
export interface References {}

/** The names of the references that a record has: `"student" | "planned_course"` for an enrollment. */
export type ReferenceOf<T> = {
  [Field in keyof T & `${string}_id`]: Field extends `${infer Name}_id` ? Name & keyof References : never;
}[keyof T & `${string}_id`];

/** A record with the records it refers to; null where the field is null or the record cannot be read. */
export type Joined<T, Name> = T & { readonly [Key in Name & keyof References]: References[Key] | null };

/** Options of `with`. */
export interface JoinOptions {
  /**
   * Milliseconds for which a record that was read before is used again, by every list of the same client. Default
   * 300 000.
   */
  maxAge?: number | undefined;
}

/**
 * Checks what a list is asked to join. Which references there are shows in the record's fields; whether the client can
 * read them shows when they are read.
 * @throws InputError naming what is wrong.
 */
export function checkJoin(
  { id, response }: Operation,
  references: Readonly<Record<string, true>>,
  options: JoinOptions,
): { readonly names: readonly string[]; readonly maxAge: number } {
  const fail = (path: string, message: string) => inputError(id, [{ path, message }]);
  if (!isPlainObject(references)) throw fail("with", "must be a plain object, such as { student: true }");
  if (!isPlainObject(options)) throw fail("with", "the options must be a plain object");
  checkNames(options, { maxAge: 1 }, fail, "with.");
  const fields = Object.keys(fieldsOf(response)).filter((field) => field.endsWith("_id"));
  checkNames(references, Object.fromEntries(fields.map((field) => [field.slice(0, -3), 1])), fail, "with.");
  const names = Object.keys(references);
  for (const name of names) if (references[name] !== true) throw fail(`with.${name}`, "must be true");
  const { maxAge = 300_000 }: JoinOptions = options;
  return { names, maxAge: positive("with.maxAge", maxAge, fail) };
}
