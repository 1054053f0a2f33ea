/**
 * Number of records in a list, from the header `Total`; null if it is missing or impossible.
 * @param atLeast records that a page of the list held.
 */
export function totalOf(headers: { get(name: string): string | null }, atLeast: number): number | null {
  const text = headers.get("total")?.trim() ?? "";
  return /^\d{1,15}$/.test(text) && Number(text) >= atLeast ? Number(text) : null;
}
