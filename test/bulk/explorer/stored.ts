import type { Shown } from "../../../src/bulk/sight.js";

/** A record of the service, with its history. */
export interface Stored {
  readonly id: number;
  key: string;
  /**
   * The row of the plan that created the record, "others" if somebody else did, or "before" if it existed before the
   * plan.
   */
  readonly by: number | "others" | "before";
  readonly fields: Record<string, unknown>;
  version: number;
  readonly born: number;
  readonly shownFrom: number;
  readonly writes: { readonly by: string; readonly field: string; readonly value: unknown; readonly at: number }[];
  goneBy: string | null;
}

export function shownAs({ id, key, fields, version, born }: Stored): Shown {
  return { id, key, record: { ...fields }, created: born, version };
}

export function ascends(ids: readonly number[]): boolean {
  return ids.every((id, at) => at === 0 || id > (ids[at - 1] as number));
}
