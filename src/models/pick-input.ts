import * as z from "zod/mini";

/** The fields of a record that an input accepts, with the types that the input accepts. */
export type PickedInput<S extends z.ZodMiniObject, R extends object> = Pick<
  z.input<S>,
  Extract<keyof R, keyof z.input<S>>
>;

/**
 * Makes a body from the fields of a record that an input accepts. Fields that only responses have are left out, and so
 * are fields that are read in one form and sent in another, such as `custom_associations`; an update does not change
 * them. A school's own fields may contain options that no longer exist; to leave these fields out too, pass
 * `{ ...record, custom: {} }`.
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
