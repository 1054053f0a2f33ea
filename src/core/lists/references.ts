/**
 * The records that fields ending in `_id` refer to, by the field's name without that ending: `student` for
 * `student_id`.
 */
// src/resources/references.ts fills this interface, because the core does not know the records.
// biome-ignore lint/suspicious/noEmptyInterface: modules of the resources add to it.
export interface References {}

/** The names of the references that a record has: `"student" | "planned_course"` for an enrollment. */
export type ReferenceOf<T> = {
  [Field in keyof T & `${string}_id`]: Field extends `${infer Name}_id` ? Name & keyof References : never;
}[keyof T & `${string}_id`];

/**
 * Records in which a reference has a different meaning than in `References`: for each resource, `record` is the type of
 * its record, and `names` gives the types of those references.
 */
// Filled by src/resources/references.ts too.
// biome-ignore lint/suspicious/noEmptyInterface: modules of the resources add to it.
export interface OwnReferences {}

/** References with a different meaning in this record; empty for most records. */
export type OwnReferencesOf<T> = OrNothing<
  {
    [Resource in keyof OwnReferences]: OwnReferences[Resource] extends { record: infer R; names: infer Names }
      ? T extends R
        ? Names
        : never
      : never;
  }[keyof OwnReferences]
>;

type OrNothing<T> = [T] extends [never] ? unknown : T;

/** A record with the records it refers to; null if the field is null or the service answers 404 for the record. */
export type Joined<T, Name> = T & {
  readonly [Key in Name & keyof References]:
    | (Key extends keyof OwnReferencesOf<T> ? OwnReferencesOf<T>[Key] : References[Key])
    | null;
};

/** Options of `with`. */
export interface JoinOptions {
  /** Milliseconds for which all lists of the client reuse a record that was already read. Default 300,000. */
  maxAge?: number | undefined;
}
