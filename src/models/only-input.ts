/**
 * An input that does not compile with fields that only records have: `update(7, { ...account, name })` is an error,
 * because the service would refuse `users_count`. See `pickInput`. `Name` is inferred from the given fields.
 */
export type OnlyInput<Input, Record, Name extends PropertyKey> = Input &
  ReadOnlyFields<Exclude<keyof Record, keyof Input>, Name>;

// Only fields that were given have a type here, so that editors do not suggest the read-only ones. If no names are
// known, all are allowed. The last branch is never chosen; it lets the compiler infer the names.
type ReadOnlyFields<ReadOnly extends PropertyKey, Name extends PropertyKey> = PropertyKey extends Name
  ? unknown
  : [Name] extends [PropertyKey]
    ? { readonly [Key in Name & ReadOnly]: `${Key & string} is read-only` }
    : { readonly [Key in Name]: unknown };
