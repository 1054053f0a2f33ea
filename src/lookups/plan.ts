/** How records are read by identifier: one by one, by the list's filter for identifiers, or with the whole list. */
export type ReadStrategy = "single" | "filter" | "list";

/** The records to read, and the ways of reading them that the service offers. */
export interface ReadFacts {
  /** Number of records not yet read. */
  readonly missing: number;
  /** Requests already spent on single records or on the filter. */
  readonly spent: number;
  /** True if an operation reads a single record. */
  readonly single: boolean;
  readonly pageSize: number;
  /** True if the list has a filter for identifiers. */
  readonly filter: boolean;
  /**
   * Pages of the list still to be read; null before the first page is read, undefined if there is no list or its length
   * is unknown.
   */
  readonly pages: number | null | undefined;
}

/** The cheapest way to read some records. */
export interface ReadPlan {
  readonly strategy: ReadStrategy;
  /** Number of requests; null if only the list can be read and its length is unknown. */
  readonly requests: number | null;
}

/**
 * Chooses the way that takes the fewest requests. Earlier requests count too: once many small reads have cost as many
 * requests as the whole list, the list is read.
 * @returns null if the list's length must be known first: read its first page.
 */
export function cheapest({ missing, spent, single, filter, pageSize, pages }: ReadFacts): ReadPlan | null {
  const direct = directPlan(missing, single, filter ? pageSize : null);
  if (!direct) return { strategy: "list", requests: pages ?? null };
  if (pages === undefined) return direct;
  if (pages === null) return spent === 0 && direct.requests === 1 ? direct : null;
  return pages <= spent + direct.requests ? { strategy: "list", requests: pages } : direct;
}

function directPlan(
  missing: number,
  single: boolean,
  filtered: number | null,
): (ReadPlan & { requests: number }) | null {
  if (filtered !== null && (missing > 1 || !single)) {
    return { strategy: "filter", requests: Math.ceil(missing / filtered) };
  }
  return single ? { strategy: "single", requests: missing } : null;
}
