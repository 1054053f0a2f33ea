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
