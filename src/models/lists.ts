import * as z from "zod/mini";

/** An array as sent; a `readonly` array such as `InvoiceStatus.values` also passes. */
export function listInput<T extends z.core.$ZodType>(item: T): z.ZodMiniType<z.output<T>[], readonly z.input<T>[]> {
  return z.array(item);
}

/** A filter that accepts several values: an array, `readonly` or not, or one value by itself. */
export function filterInput<T extends z.core.$ZodType>(
  item: T,
): z.ZodMiniType<z.output<T>[], z.input<T> | readonly z.input<T>[]> {
  // `item` comes first, because its message is more precise than "must be an array".
  const several = z.union([item, z.array(item)]).check((checked) => {
    if (!Array.isArray(checked.value)) checked.value = [checked.value] as z.output<T>[];
  });
  return several as unknown as z.ZodMiniType<z.output<T>[], z.input<T> | readonly z.input<T>[]>;
}
