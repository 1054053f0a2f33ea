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
 * The kind of content in a record's field. `name`, `contact`, `number` (such as a student number), `note` (free
 * text by or about a person) and `custom` may identify a person; `document` is a file, the address of a file, or a copy
 * of entire records.
 */
export type FieldClass = (typeof FIELD_CLASSES)[number];
