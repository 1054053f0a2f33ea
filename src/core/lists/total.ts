/**
 * How many records a list has by the header `Total`; null where it is missing or cannot be true.
 * @param atLeast records that a page of the list held.
 */
export function totalOf(headers: { get(name: string): string | null }, atLeast: number): number | null {
  const text = headers.get("total")?.trim() ?? "";
  return /^\d{1,15}$/.test(text) && Number(text) >= atLeast ? Number(text) : null;
}
