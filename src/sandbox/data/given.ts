/**
 * The fields that are given for a record. Any may be left out, also inside nested records: an address can be a city alone, and a
 * line of an invoice its units and its price.
 */
export type Given<T> = { readonly [Field in keyof T]?: GivenValue<T[Field]> | undefined } & ShortNames<T>;

type GivenValue<V> = V extends readonly (infer Item)[]
  ? readonly GivenValue<Item>[]
  : V extends object
    ? { readonly [Field in keyof V]?: GivenValue<V[Field]> | undefined }
    : V;

/** Shorter names that fields can be given under. */
type ShortNames<T> = "invoice_items" extends keyof T
  ? {
      /** The same as `invoice_items`. */
      readonly items?: GivenValue<T["invoice_items" & keyof T]> | undefined;
    }
  : "order_items" extends keyof T
    ? {
        /** The same as `order_items`. */
        readonly items?: GivenValue<T["order_items" & keyof T]> | undefined;
      }
    : unknown;

/** The fields that `items` can stand for. @internal */
const LONG_NAMES = ["invoice_items", "order_items"] as const;

/** The name of the field that a given name stands for. @internal */
export function longName(name: string, fields: Readonly<Record<string, unknown>>): string {
  if (name !== "items") return name;
  return LONG_NAMES.find((long) => long in fields) ?? name;
}

type Defined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** The fields that have a value. @internal */
export function withoutUndefined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** Freezes JSON data with all that is in it, so that whoever is shown it cannot change it. @internal */
export function frozen<T>(value: T): T {
  const open: unknown[] = [value];
  // The list grows while it is walked.
  for (const holder of open) {
    if (Object.isFrozen(holder)) continue;
    Object.freeze(holder);
    for (const inner of Object.values(holder as object)) {
      if (typeof inner === "object" && inner !== null) open.push(inner);
    }
  }
  return value;
}
