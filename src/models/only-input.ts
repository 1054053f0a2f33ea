/**
 * An input that the compiler refuses when it has fields that only records have: `update(7, { ...account, name })` does not
 * compile, because the service would not take `users_count`. See `pickInput`.
 */
export type OnlyInput<Input, Record> = Input & { readonly [Name in Exclude<keyof Record, keyof Input>]?: never };
