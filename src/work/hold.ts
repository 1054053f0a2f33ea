/**
 * If the records missing from a list exceed both limits, a run marks none as gone and leaves the decision to a person.
 */
export interface HoldAbove {
  /** Fraction of the list's records, 0 to 1. */
  readonly share: number;
  readonly rows: number;
}

export const HOLD_ABOVE: HoldAbove = { share: 0.1, rows: 20 };

export function isHeld(missing: number, known: number, { share, rows }: HoldAbove): boolean {
  return missing > rows && missing > share * known;
}
