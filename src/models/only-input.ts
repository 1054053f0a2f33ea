/**
 * An input that the compiler refuses when it has fields that only records have: `update(7, { ...account, name })` does
 * not compile, because the service would refuse `users_count`. See `pickInput`. `Name` stands for the fields that were
 * given.
 */
export type OnlyInput<Input, Record, Name extends PropertyKey> = Input &
  ReadOnlyFields<Exclude<keyof Record, keyof Input>, Name>;

// Only given fields have a type here, so that editors do not offer the read-only ones. Where no names are known, all
// are allowed. The last branch is never taken: the compiler infers the names from it.
type ReadOnlyFields<ReadOnly extends PropertyKey, Name extends PropertyKey> = PropertyKey extends Name
  ? unknown
  : [Name] extends [PropertyKey]
    ? { readonly [Key in Name & ReadOnly]: `${Key & string} is read-only` }
    : { readonly [Key in Name]: unknown };
