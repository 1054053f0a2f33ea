/** Every class of fields. */
export const FIELD_CLASSES = [
  "identifier",
  "plain",
  "name",
  "contact",
  "number",
  "note",
  "custom",
  "document",
] as const;

/**
 * What a field of a record holds. `name`, `contact`, `number` (that of one person), `note` (free text about somebody or by somebody)
 * and `custom` may tell who somebody is; `document` is a file, the address of one, or a copy of whole records.
 */
export type FieldClass = (typeof FIELD_CLASSES)[number];
