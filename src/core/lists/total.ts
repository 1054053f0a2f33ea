/**
 * Number of records in a list, from the `Total` header; null if the header is missing or impossible.
 * @param atLeast number of records on one page: a smaller total is impossible.
 */
export function totalOf(headers: { get(name: string): string | null }, atLeast: number): number | null {
  const text = headers.get("total")?.trim() ?? "";
  return /^\d{1,15}$/.test(text) && Number(text) >= atLeast ? Number(text) : null;
}
