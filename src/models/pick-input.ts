import * as z from "zod/mini";

/** The fields of a record that an input accepts, with the types that the input accepts. */
export type PickedInput<S extends z.ZodMiniObject, R extends object> = Pick<
  z.input<S>,
  Extract<keyof R, keyof z.input<S>>
>;

/**
 * Makes a body from a record: the fields that the input accepts, with their values. Fields that only responses have are
 * left out, and so are fields whose values are read in one form and sent in another, such as `custom_associations`; an
 * update does not change fields that are left out. To leave out a school's own fields too, whose options may have been
 * removed since the record was read, pass `{ ...record, custom: {} }`.
 * @example
 * const account = await client.accounts.get(7);
 * await client.accounts.update(7, { ...pickInput(accountUpdateSchema, account), name: "Example Ltd" });
 */
export function pickInput<S extends z.ZodMiniObject, R extends object>(schema: S, record: R): PickedInput<S, R> {
  const values = record as Readonly<Record<string, unknown>>;
  const taken = Object.entries(schema.shape).filter(
    ([name, field]) => Object.hasOwn(values, name) && z.safeParse(field as z.ZodMiniType, values[name]).success,
  );
  return Object.fromEntries(taken.map(([name]) => [name, values[name]])) as PickedInput<S, R>;
}
