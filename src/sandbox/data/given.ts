/**
 * The given fields of a record. Any field can be omitted, even in nested records: an address can be just a city, and an
 * invoice line just its units and price.
 */
export type Given<T> = { readonly [Field in keyof T]?: GivenValue<T[Field]> | undefined } & ShortNames<T>;

type GivenValue<V> = V extends readonly (infer Item)[]
  ? readonly GivenValue<Item>[]
  : V extends object
    ? { readonly [Field in keyof V]?: GivenValue<V[Field]> | undefined }
    : V;

type ShortNames<T> = "invoice_items" extends keyof T
  ? {
      /** Short for `invoice_items`. */
      readonly items?: GivenValue<T["invoice_items" & keyof T]> | undefined;
    }
  : "order_items" extends keyof T
    ? {
        /** Short for `order_items`. */
        readonly items?: GivenValue<T["order_items" & keyof T]> | undefined;
      }
    : unknown;

const LONG_NAMES = ["invoice_items", "order_items"] as const;

/** The full name of a field, which callers may shorten to `items`. @internal */
export function longName(name: string, fields: Readonly<Record<string, unknown>>): string {
  if (name !== "items") return name;
  return LONG_NAMES.find((long) => long in fields) ?? name;
}

type Defined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** @internal */
export function withoutUndefined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** Deeply freezes JSON data, so that callers cannot change it. @internal */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  // The loop also visits values that it appends.
  for (const holder of open) {
    if (Object.isFrozen(holder)) continue;
    Object.freeze(holder);
    for (const inner of Object.values(holder as object)) {
      if (typeof inner === "object" && inner !== null) open.push(inner);
    }
  }
  return value;
}
