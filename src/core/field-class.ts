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
 * The kind of content of a record's field. `name`, `contact`, `number` (of one person), `note` (free text about a
 * person or by one) and `custom` may identify a person; `document` is a file, the address of one, or a copy of whole
 * records.
 */
export type FieldClass = (typeof FIELD_CLASSES)[number];
