import type { Identified, Records } from "./collection.js";
import { unprocessable } from "./refusal.js";
import type { Store } from "./store.js";

// Fields of bodies that name a record, and where it must be.
const TARGETS: Readonly<Record<string, (store: Store) => Records<Identified>>> = {
  account_id: (store) => store.accounts,
  category_id: (store) => store.categories,
};

/** Refuses a body that names a record nobody has: 422, with the field. @internal */
export function checkReferences(value: unknown, store: Store, path = ""): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    const target = TARGETS[name]?.(store);
    const ids = (Array.isArray(field) ? field : [field]).filter((id): id is number => typeof id === "number");
    for (const id of target ? ids : []) {
      if (!target?.get(id)) throw unprocessable(at, "names a record that does not exist");
    }
    checkReferences(field, store, at);
  }
}
