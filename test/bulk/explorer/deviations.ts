/** What may happen to a request for a new record; the first is what happens usually. */
export const CREATES = [
  "ok",
  "kill before",
  "kill after",
  "lost, done",
  "lost, not done",
  "late 2",
  "late 4",
  "twice",
  "refused",
  "429",
  "twice, again after 2",
  "late 9",
  "late 40",
  "twice, again after 40",
  "answered",
  "answered, late 6",
] as const;
/** What may happen to a request that changes or deletes one. */
export const CHANGES = [
  "ok",
  "kill before",
  "kill after",
  "lost, done",
  "lost, not done",
  "late 2",
  "late 4",
  "refused",
  "429",
  "late 9",
  "late 40",
] as const;
