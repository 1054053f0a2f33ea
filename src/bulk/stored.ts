import type { Values } from "./fields.js";
import type { History } from "./history.js";
import { isStoredAs, stateOf } from "./kin.js";
import type { Fact } from "./lines.js";
import type { Comparisons } from "./sight.js";

export interface StoredOtherwise {
  readonly differs: NonNullable<Fact["differs"]>;
  /** True if each stored value is another form of the value sent. */
  readonly isForm: boolean;
  /**
   * True if the response had these stored values too. Otherwise they may come from someone else, unless `updated_at`
   * rules that out.
   */
  readonly isClaimed: boolean;
}

/** The stored values that differ from the values sent; null if there are none. */
export function storedOtherwise(
  { row, done }: History,
  record: Values,
  { same, currentValue, keys }: Comparisons,
): StoredOtherwise | null {
  const { send = {} } = row;
  const claimed = done?.differs ?? {};
  const isClaimed = (path: string) => Object.hasOwn(claimed, path) && same(row, path, claimed[path]?.[1], record);
  // `same` accepts any key of a create, so keys need another test.
  const isOtherKey = (path: string) =>
    isClaimed(path) || stateOf(send[path], currentValue(row, path, record)) === "other";
  const lacking = Object.keys(send).filter(
    (path) => !same(row, path, send[path], record) || (row.do === "create" && keys.includes(path) && isOtherKey(path)),
  );
  if (lacking.length === 0) return null;
  const found = lacking.map((path) => [path, [send[path], currentValue(row, path, record)] as const] as const);
  return {
    differs: Object.fromEntries(found),
    isForm: found.every(([, [sent, is]]) => isStoredAs(String(sent), String(is ?? ""))),
    isClaimed: lacking.every(isClaimed),
  };
}

/** The differences that a reading shows, which replace those in the response. */
export function differsOf({ done }: History, stored: StoredOtherwise | null): Pick<Fact, "differs"> {
  return stored || done?.differs ? { differs: stored?.differs ?? {} } : {};
}
