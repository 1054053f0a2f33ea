/**
 * An input whose type refuses fields that only records have: `update(7, { ...account, name })` does not compile,
 * because the service would refuse `users_count`. See `pickInput`. `Name` is inferred from the given fields.
 */
export type OnlyInput<Input, Record, Name extends PropertyKey> = Input &
  ReadOnlyFields<Exclude<keyof Record, keyof Input>, Name>;

// Contains only the given fields, so that editors do not suggest read-only ones. If the names are unknown, allows any
// field. The last branch is never chosen; it lets the compiler infer the names.
type ReadOnlyFields<ReadOnly extends PropertyKey, Name extends PropertyKey> = PropertyKey extends Name
  ? unknown
  : [Name] extends [PropertyKey]
    ? { readonly [Key in Name & ReadOnly]: `${Key & string} is read-only` }
    : { readonly [Key in Name]: unknown };
