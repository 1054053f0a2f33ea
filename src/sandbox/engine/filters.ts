import type { Filter } from "./behaviour.js";

/** A filter that looks for a text in some fields, regardless of case. @internal */
export function search<T>(fieldsOf: (row: Readonly<T>) => readonly (string | null | undefined)[]): Filter<T> {
  return (text: string) => {
    const wanted = text.toLowerCase();
    return (row) => fieldsOf(row).some((field) => field?.toLowerCase().includes(wanted));
  };
}
